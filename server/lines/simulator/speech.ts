import type { SpeechPart } from '../../talk/state.ts'
import { countCharacters, splitWords, wordsOf } from '../../talk/words.ts'

const ms_per_character = 65

/**
 * Returns how long it takes to say the text, in ms. A space after each word counts, so that words have the times that
 * `wordsOf` gives them.
 */
export const durationOf = (text: string): number => countCharacters(splitWords(text)) * ms_per_character

/** Returns what has been said of the parts at this time. A word counts when it has ended. */
export const heardUntil = (parts: SpeechPart[], time_ms: number): SpeechPart[] =>
  parts.flatMap((part) => (part.end_ms <= time_ms ? part : (cutAt(part, time_ms) ?? [])))

function cutAt(part: SpeechPart, time_ms: number): SpeechPart | undefined {
  const heard = wordsOf(part).filter(({ end_ms }) => end_ms <= time_ms)
  const last = heard.at(-1)
  return last && { ...part, text: firstWords(part.text, heard.length), end_ms: last.end_ms }
}

/** Returns the first words of the text, with its own white space. */
function firstWords(text: string, count: number): string {
  const last = [...text.matchAll(/\S+/g)][count - 1]
  return last ? text.slice(0, last.index + last[0].length) : ''
}
