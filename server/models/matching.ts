import { isWithinDistance, normalizeText, truncate } from '../kit/text.ts'
import { de } from './languages/de.ts'
import { en } from './languages/en.ts'
import type { Language } from './languages/language.ts'

/** Below this score a phrase was not heard. */
export const score_min = 0.6
export const heard_length_max = 4000
/**
 * How many letters of words are compared for one message, to bound the time. Beyond that, words with typos are not
 * found.
 */
const compared_letters_max = 300_000
/** Longer words are compared without allowing typos. */
const typo_length_max = 30
/** Shorter words are compared without allowing typos, because they often differ in one letter only. */
const typo_length_min = 4

const languages: Record<string, Language> = { en, de }

/** Returns the language of a BCP 47 tag such as `de-AT`, or English if it is not supported. */
export type { Language }

export const languageOf = (tag = 'en'): Language => languages[tag.split('-')[0]?.toLowerCase() ?? ''] ?? en

/** A message that phrases are compared with. */
export interface Heard {
  text: string
  language: Language
  /** The words, in their order. */
  words: string[]
  unique_words: Set<string>
  words_by_length: Map<number, string[]>
  /** How many letters may still be compared. Each comparison with a word takes its letters from these. */
  letters_left: number
}

export function listen(text: string, language: Language): Heard {
  const cut = truncate(text, heard_length_max)
  const words = wordsOf(cut, language)
  const unique_words = new Set(words)
  const words_by_length = Map.groupBy(unique_words, ({ length }) => length)
  return { text: cut, language, words, unique_words, words_by_length, letters_left: compared_letters_max }
}

/** Normalizes a text for comparison: no case, accents and punctuation, and digits for number words. */
export const normalize = (text: string, language: Language): string => wordsOf(text, language).join(' ')

export interface Score {
  /** The share of the phrase's words that were heard, in any order. */
  score: number
  /** The number of different words of the phrase. */
  length: number
}

/** Whether one score is better: the higher one is, and of equal scores that of the longer phrase. */
export const isBetter = (one: Score, other: Score | undefined): boolean =>
  !other || one.score > other.score || (one.score === other.score && one.length > other.length)

/** Finds the phrase that was heard best, if there is one. The list must not change: its words are remembered. */
export function scorePhrases(phrases: readonly string[], heard: Heard): (Score & { phrase: string }) | undefined {
  const best = bestOf(wordsOfPhrases(phrases, heard.language), heard)
  return best && { ...best, phrase: phrases[best.index] ?? '' }
}

function bestOf(phrases: Set<string>[], heard: Heard): (Score & { index: number }) | undefined {
  let best: (Score & { index: number }) | undefined
  for (const [index, words] of phrases.entries()) {
    let count = 0
    for (const word of words) if (isHeard(word, heard)) count += 1
    const found = { score: count / words.size, length: words.size, index }
    if (found.score >= score_min && isBetter(found, best)) best = found
  }
  return best
}

/**
 * Whether a word was heard. Finds words with typos too, as long as the message has letters left. Each comparison takes
 * letters from them.
 */
function isHeard(word: string, heard: Heard): boolean {
  if (heard.unique_words.has(word)) return true
  if (word.length < typo_length_min || word.length > typo_length_max || /\p{N}/u.test(word)) return false
  const distance_max = typosAllowed(word)
  for (let length = word.length - distance_max; length <= word.length + distance_max; length += 1) {
    for (const other of heard.words_by_length.get(length) ?? []) {
      heard.letters_left -= length
      if (heard.letters_left < 0) return false
      if (isWithinDistance(word, other, distance_max)) return true
    }
  }
  return false
}

const typosAllowed = (word: string): number => (word.length >= 10 ? 2 : 1)

/** Returns whether the word is the name, with the typos that a phrase may have. */
export const isSpelledLike = (word: string, name: string): boolean =>
  word === name || (name.length > typo_length_min && isWithinDistance(name, word, typosAllowed(name)))

const words_by_list = new WeakMap<readonly string[], { language: Language; words: Set<string>[] }>()

/** Returns the words of each phrase. They are split once for as long as the list is in memory. */
function wordsOfPhrases(phrases: readonly string[], language: Language): Set<string>[] {
  const known = words_by_list.get(phrases)
  if (known?.language === language) return known.words
  const words = phrases.map((phrase) => new Set(wordsOf(phrase, language)))
  words_by_list.set(phrases, { language, words })
  return words
}

const apostrophes = /['’ʼ`´]/g
const word = /[\p{L}\p{M}\p{N}]+/gu

/** Splits a text into words without case, accents and apostrophes, and with digits for numbers. */
export function wordsOf(text: string, language: Language): string[] {
  const plain = normalizeText(text.replace(apostrophes, '')).replace(apostrophes, '')
  const words = plain.match(word) ?? []
  const result: string[] = []
  for (let index = 0; index < words.length; ) {
    const number = readNumber(words, index, language)
    result.push(number ? String(number.value) : (words[index] ?? ''))
    index = number?.end ?? index + 1
  }
  return result
}

interface ReadNumber {
  value: number
  /** The index after the last word of the number. */
  end: number
}

/** Reads the number that begins at this word, such as 2026 for "two thousand and twenty six". */
function readNumber(words: string[], start: number, language: Language): ReadNumber | undefined {
  let value = 0
  let end = start
  for (const [multiplier, factor] of language.multipliers) {
    const part = readBelowHundred(words, end, language)
    const after = part?.end ?? end
    if (words[after] !== multiplier) continue
    value += (part?.value ?? 1) * factor
    end = after + 1
    if (words[end] === language.and && readBelowHundred(words, end + 1, language)) end += 1
  }
  const last = readBelowHundred(words, end, language)
  if (last) return { value: value + last.value, end: last.end }
  return end > start ? { value, end } : undefined
}

function readBelowHundred(words: string[], start: number, { numbers }: Language): ReadNumber | undefined {
  const value = ownValue(numbers, words[start])
  if (value === undefined) return undefined
  const ones = value >= 20 && value % 10 === 0 ? ownValue(numbers, words[start + 1]) : undefined
  return ones && ones < 10 ? { value: value + ones, end: start + 2 } : { value, end: start + 1 }
}

/** Returns a member that the object has itself: a word such as "constructor" must not find what objects inherit. */
export const ownValue = <Value>(values: Record<string, Value>, name: string | undefined): Value | undefined =>
  name !== undefined && Object.hasOwn(values, name) ? values[name] : undefined
