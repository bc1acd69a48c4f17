import type { SpeechPart } from '../../talk/state.ts'
import { splitWords, wordsOf } from '../../talk/words.ts'
import type { TranscriptTurn } from './transcript-schema.ts'

const cue_max_ms = 7_000
const cue_characters_max = 84
/** A longer pause begins a new cue. */
const pause_max_ms = 1_000

/** A subtitle. */
export interface Cue extends SpeechPart {
  role: TranscriptTurn['role']
}

/**
 * Returns what was heard, in short pieces that don't overlap within a voice, by their start. Yields an empty text after each
 * turn, so that others can run.
 */
export function* collectCues(turns: Iterable<TranscriptTurn>): Generator<string, Cue[]> {
  const by_role = new Map<Cue['role'], Cue[]>()
  for (const turn of turns) {
    const { role } = turn
    const cues = by_role.get(role) ?? []
    by_role.set(role, cues)
    const words = inSequence(heardWords(turn), cues.at(-1)?.end_ms ?? 0)
    for (const cue of joinWords(words)) cues.push({ role, ...cue })
    yield ''
  }
  return [...by_role.values()].flat().toSorted((one, other) => one.start_ms - other.start_ms)
}

/** A word that is too long for a cue is cut. */
const heardWords = ({ words, heard }: TranscriptTurn): SpeechPart[] =>
  words
    .slice(0, heard === null ? words.length : splitWords(heard).length)
    .flatMap((word) => wordsOf({ ...word, text: cutLong(word.text) }))

function cutLong(text: string): string {
  const characters = Array.from(text)
  const pieces = Array.from({ length: Math.ceil(characters.length / cue_characters_max) }, (_, index) =>
    characters.slice(index * cue_characters_max, (index + 1) * cue_characters_max).join(''),
  )
  return pieces.join(' ')
}

/** A cue needs at least a millisecond, and ends before the next one of its voice begins. */
function inSequence(words: SpeechPart[], after_ms: number): SpeechPart[] {
  let end_ms = after_ms
  return words.map((word) => {
    const start_ms = Math.max(word.start_ms, end_ms)
    end_ms = Math.min(Math.max(word.end_ms, start_ms + 1), start_ms + cue_max_ms)
    return { ...word, start_ms, end_ms }
  })
}

function joinWords(words: SpeechPart[]): SpeechPart[] {
  const cues: SpeechPart[] = []
  for (const word of words) {
    const last = cues.at(-1)
    const joined = last && { ...last, text: `${last.text} ${word.text}`, end_ms: word.end_ms }
    const fits =
      joined &&
      word.start_ms - last.end_ms <= pause_max_ms &&
      joined.end_ms - joined.start_ms <= cue_max_ms &&
      Array.from(joined.text).length <= cue_characters_max
    if (fits) cues[cues.length - 1] = joined
    else cues.push(word)
  }
  return cues
}
