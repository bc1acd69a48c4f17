import type { SpeechPart } from '../conversations/state.ts'
import type { Transcript, TranscriptTurn } from './transcript-schema.ts'
import { splitWords, wordsOf } from './words.ts'

export const cue_max_ms = 7_000
export const cue_characters_max = 84
/** A longer pause begins a new cue. */
const pause_max_ms = 1_000

/** A subtitle. */
export interface Cue extends SpeechPart {
  role: TranscriptTurn['role']
}

interface Word extends SpeechPart {
  /** The number of its turn: a cue has the words of one. */
  seq: number
}

/** What was heard, in short pieces that don't overlap within a voice, by their start. */
export function cuesOf({ turns }: Transcript): Cue[] {
  const by_role = Map.groupBy(turns, ({ role }) => role)
  const cues = [...by_role].flatMap(([role, turns]) =>
    joinWords(inSequence(turns.flatMap(heardWords))).map(({ text, start_ms, end_ms }) => ({
      role,
      text,
      start_ms,
      end_ms,
    })),
  )
  return cues.toSorted((one, other) => one.start_ms - other.start_ms)
}

/** A word that is too long for a cue is cut. */
const heardWords = ({ seq, words, heard }: TranscriptTurn): Word[] =>
  words
    .slice(0, heard === null ? words.length : splitWords(heard).length)
    .flatMap((word) => wordsOf({ ...word, text: cutLong(word.text) }))
    .map((word) => ({ ...word, seq }))

function cutLong(text: string): string {
  const characters = Array.from(text)
  const pieces = Array.from({ length: Math.ceil(characters.length / cue_characters_max) }, (_, index) =>
    characters.slice(index * cue_characters_max, (index + 1) * cue_characters_max).join(''),
  )
  return pieces.join(' ')
}

/** A cue needs at least a millisecond, and ends before the next one of its voice begins. */
function inSequence(words: Word[]): Word[] {
  let end_ms = 0
  return words.map((word) => {
    const start_ms = Math.max(word.start_ms, end_ms)
    end_ms = Math.min(Math.max(word.end_ms, start_ms + 1), start_ms + cue_max_ms)
    return { ...word, start_ms, end_ms }
  })
}

function joinWords(words: Word[]): Word[] {
  const cues: Word[] = []
  for (const word of words) {
    const last = cues.at(-1)
    const joined = last && { ...last, text: `${last.text} ${word.text}`, end_ms: word.end_ms }
    const fits =
      joined &&
      last.seq === word.seq &&
      word.start_ms - last.end_ms <= pause_max_ms &&
      joined.end_ms - joined.start_ms <= cue_max_ms &&
      Array.from(joined.text).length <= cue_characters_max
    if (fits) cues[cues.length - 1] = joined
    else cues.push(word)
  }
  return cues
}
