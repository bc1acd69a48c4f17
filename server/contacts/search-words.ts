import { join, likeContains, raw, type Sql, sql } from '../kit/postgres/sql.ts'
import { normalizeText } from '../kit/text.ts'

/*
 * A search is a list of words. A contact matches if its text (normalize.ts) contains all of them, in any order.
 *
 * A word with spaces or punctuation between its digits, such as `(415) 555-1003`, is also compared with the digits of the
 * phone number.
 */

export interface SearchWords {
  /** The normalized words, the longest first. None is a part of another one. */
  texts: string[]
  numbers: NumberWord[]
}

interface NumberWord {
  typed: string
  /** The digits. They begin with `+` if the phone number must begin with them. */
  digits: string
}

/**
 * Limits the words, because each is looked for in each text. In a longer search all that follows the ninth word is one
 * word, as it was typed.
 */
const words_max = 10

/** Limits the numbers, because each is a condition of its own. Further numbers are found only as they were typed. */
const numbers_max = 3

/** The index looks for the longest words. The texts that it finds are searched for the others. */
const indexed_texts_max = 2

const number_signs = '.+\\p{Pd}\\p{Ps}\\p{Pe}'
const number_part = `[\\d${number_signs}]+`
/** A number, which has a digit, or anything else up to the next space. */
const word_pattern = new RegExp(
  `(?<!\\S)(?=[\\s${number_signs}]*\\d)(${number_part}(?:\\s+${number_part})*)(?!\\S)|\\S+`,
  'gu',
)

/**
 * Signs that are copied with a number or a name, such as the direction of text. Joiners are not among them, because
 * they are a part of some names.
 */
const invisible = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g

/** A search of only accents or spaces has no words, so it is used unchanged. */
export function parseSearch(search: string): SearchWords {
  const normalized = normalizeText(search.replace(invisible, ''))
  const texts: string[] = []
  const numbers = new Map<string, NumberWord>()
  for (const [word = '', number] of splitWords(normalized)) {
    const digits = number === undefined ? word : digitsOf(number)
    if (digits !== word && (numbers.size < numbers_max || numbers.has(word))) numbers.set(word, { typed: word, digits })
    else texts.push(word)
  }
  if (texts.length + numbers.size === 0) texts.push(normalized || search)
  return { texts: withoutParts(texts), numbers: [...numbers.values()] }
}

/** Splits a search into words, each with its number if it is one. */
function splitWords(normalized: string): string[][] {
  const words = [...normalized.matchAll(word_pattern)]
  const first_merged = words[words_max - 1]
  if (!first_merged || words.length === words_max) return words
  return [...words.slice(0, words_max - 1), [normalized.slice(first_merged.index).trim()]]
}

function digitsOf(number: string): string {
  const [first = '', ...others] = number.replace(/[^\d+]/g, '')
  return first + others.join('').replaceAll('+', '')
}

function withoutParts(texts: string[]): string[] {
  const longest_first = texts.toSorted((left, right) => right.length - left.length)
  return longest_first.filter((text, index) => !longest_first.slice(0, index).some((longer) => longer.includes(text)))
}

/** Whether the trigram index can be used: it finds only words that have three letters or digits in a row. */
export const hasIndexedWord = ({ texts, numbers }: SearchWords): boolean =>
  texts.some(hasTrigram) || numbers.some(({ digits }) => hasTrigram(digits))

const hasTrigram = (text: string): boolean => /[\p{L}\p{N}]{3}/u.test(text)

/** A condition on `contact_texts` that reads every text. */
export const textContains = ({ texts, numbers }: SearchWords): Sql =>
  join([...containsAll(texts), ...numbers.map(containsNumber)], ' and ')

/** Makes the same condition as `textContains`, written so that PostgreSQL can use the trigram index. */
export function textContainsIndexed({ texts, numbers }: SearchWords): Sql {
  const indexed = texts.filter(hasTrigram).slice(0, indexed_texts_max)
  const others = texts.filter((text) => !indexed.includes(text))
  const conditions = [
    ...indexed.map((text) => sql`text like ${likeContains(text)}`),
    ...containsAll(others),
    ...numbers.map((number) => (hasTrigram(number.digits) ? containsIndexedNumber(number) : containsNumber(number))),
  ]
  return join(conditions, ' and ')
}

/** Makes one condition for any number of texts, because each other statement would be prepared on its own. */
function containsAll(texts: string[]): Sql[] {
  const [first] = texts
  if (first === undefined) return []
  return [texts.length === 1 ? sql`strpos(text, ${first}) > 0` : sql`text like all(${texts.map(likeContains)}::text[])`]
}

const containsNumber = ({ typed, digits }: NumberWord): Sql =>
  sql`(strpos(text, ${typed}) > 0 or ${isInPhoneNumber(digits)})`

const containsIndexedNumber = ({ typed, digits }: NumberWord): Sql =>
  sql`(text like ${likeContains(typed)} or text like ${likeContains(digits)} and ${isInPhoneNumber(digits)})`

/** The phone number is the first line of a text. */
const isInPhoneNumber = (digits: string): Sql => sql`strpos(${phone_number}, ${digits}) > 0`
const phone_number = raw(String.raw`split_part(text, E'\n', 1)`)
