import type { SpeechPart } from './state.ts'

/**
 * The words of a part with their times, in whole milliseconds. Each word gets a share of the part's time by its characters and
 * the space after it, so words never overlap.
 */
export function wordsOf({ text, start_ms, end_ms }: SpeechPart): SpeechPart[] {
  const words = splitWords(text)
  const characters = countCharacters(words)
  const duration_ms = Math.max(0, end_ms - start_ms)
  let before = 0
  const next = (word: string) => {
    const word_start_ms = start_ms + Math.round((duration_ms * before) / characters)
    before += word.length + 1
    return { text: word, start_ms: word_start_ms, end_ms: start_ms + Math.round((duration_ms * before) / characters) }
  }
  return words.map(next)
}

export const splitWords = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '')

/** Counts a space after each word. */
export const countCharacters = (words: string[]): number => words.reduce((sum, { length }) => sum + length + 1, 0)
