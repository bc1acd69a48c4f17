import { parsePhoneNumberFromString } from 'libphonenumber-js/min'
import type { Language } from '../models/matching.ts'
import { asciiDigits, type DigitRun, type DigitToken, digitRuns, spokenDigits } from './digit-runs.ts'

/** This file finds telephone numbers in a text, and replaces them by others that belong to nobody. */

/** A part of a text, and what takes its place. */
export interface Match {
  start: number
  end: number
  by: string
}

export interface KnownNumbers {
  /** The digits that take the place of others, with the country code and without. */
  whole: Map<string, string>
  /** The lengths of the digits in `whole`, the longest first. */
  lengths: number[]
  /** The digits that take the place of parts of numbers, which are found as whole groups of digits only. */
  parts: Map<string, string>
}

const shared_digits_min = 6
/** No telephone number has more digits. */
const number_digits_max = 15
/**
 * A part of a number is looked for in this many groups of digits: each may have one digit, with a word such as "double"
 * before it.
 */
const tokens_max = 2 * number_digits_max

export const iso_date = /^\d{4}-\d{2}-\d{2}$/

export function looksLikeNumber(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\+?[\p{Nd}\p{Pd}\s()./_\u00b7]{7,25}$/u.test(value)) return false
  const plain = asciiDigits(value)
  return plain.replace(/\D/g, '').length >= 7 && !iso_date.test(plain)
}

/** Makes up numbers for those in the texts. What several numbers share is replaced as in the first of them. */
export function openKnownNumbers(texts: string[]): KnownNumbers {
  const known = new Set<string>()
  const whole = new Map<string, string>()
  const parts = new Map<string, string>()
  for (const text of texts) {
    const { digits, national_start } = read(text)
    if (digits.length < shared_digits_min || known.has(digits)) continue
    const made_up = madeUpNumber(digits, national_start, known.size)
    known.add(digits)
    const add = (to: Map<string, string>, start: number, end: number) => {
      const part = digits.slice(start, end)
      if (!to.has(part)) to.set(part, made_up.slice(start, end))
    }
    for (const start of [0, national_start]) add(whole, start, digits.length)
    for (let start = 0; start < digits.length; start += 1)
      for (let length = shared_digits_min; length <= number_digits_max; length += 1)
        if (start + length <= digits.length) add(parts, start, start + length)
  }
  const lengths = new Set([...whole.keys()].map(({ length }) => length))
  return { whole, parts, lengths: [...lengths].sort((left, right) => right - left) }
}

/** Reads the digits, with the country code if it is known, and where the number itself begins. */
function read(text: string): { digits: string; national_start: number } {
  const plain = asciiDigits(text)
    .replace(/[^\p{L}\p{N}+]+/gu, ' ')
    .trim()
  const parsed = parsePhoneNumberFromString(plain.replace(/^00/, '+'))
  if (!parsed) return { digits: plain.replace(/\D/g, '').replace(/^0+/, ''), national_start: 0 }
  const digits = parsed.number.slice(1)
  return { digits, national_start: digits.length - parsed.nationalNumber.length }
}

/** Makes up a number. It has the same country code and length, so that it is read in the same way. */
function madeUpNumber(digits: string, national_start: number, index: number): string {
  const [code, national] = [digits.slice(0, national_start), digits.slice(national_start)]
  const last = String(43 + index)
    .padStart(2, '0')
    .slice(-2)
  const is_american = code === '1' && national.length === 10
  // 555-01xx belongs to nobody in America. In other countries the first digits, which are kept, only name a network or
  // a town.
  const start = is_american ? '20255501' : national.slice(0, national.length >= 9 ? 3 : 2)
  const made_up = `${start}${'0'.repeat(Math.max(0, national.length - start.length - 2))}${last}`.slice(
    0,
    national.length,
  )
  const other = made_up === national ? `${made_up.slice(0, -2)}99` : made_up
  return `${code}${other}`
}

/** Replaces digits one by one, so that spaces, brackets and words such as "four one five" stay what they are. */
export function numberMatches(text: string, numbers: KnownNumbers, language: Language): Match[] {
  if (numbers.whole.size === 0) return []
  return digitRuns(text, language).flatMap((run) =>
    run.digits.length < shared_digits_min ? [] : matchesOf(text, run, madeUpDigits(run, numbers), language),
  )
}

/** Made-up digits by their places in the run. */
type MadeUpDigits = Map<number, string>

function madeUpDigits(run: DigitRun, { whole, lengths, parts }: KnownNumbers): MadeUpDigits {
  const { digits, tokens } = run
  const made_up: MadeUpDigits = new Map()
  const put = (start: number, by = '') => {
    if (by === '') return
    const places = Array.from(by, (digit, index): [number, string] => [start + index, digit])
    if (places.some(([place]) => made_up.has(place))) return
    for (const [place, digit] of places) made_up.set(place, digit)
  }
  const begins = placesOf(tokens)
  // Numbers that begin with a token come first: in "1041, 415 555 0100" the 1 is no country code.
  for (const is_begin of [true, false])
    for (const length of lengths)
      for (let start = 0; start + length <= digits.length; start += 1)
        if (begins.has(start) === is_begin) put(start, whole.get(digits.slice(start, start + length)))
  let start = 0
  for (const [index, token] of tokens.entries()) {
    const part = token.digits === '' ? undefined : longestPart(tokens.slice(index, index + tokens_max), parts)
    if (part) put(start + part.zeros, part.by)
    start += token.digits.length
  }
  return made_up
}

/** Returns the places at which the digits of tokens begin, with and without the zeros before them. */
function placesOf(tokens: DigitToken[]): Set<number> {
  const places = new Set<number>()
  let start = 0
  for (const { digits } of tokens) {
    places.add(start).add(start + digits.search(/[^0]|$/))
    start += digits.length
  }
  return places
}

/** Finds what takes the place of the first tokens together, without the zeros before them. */
function longestPart(tokens: DigitToken[], parts: KnownNumbers['parts']): { zeros: number; by: string } | undefined {
  let digits = ''
  let found: { zeros: number; by: string } | undefined
  for (const token of tokens) {
    digits += token.digits
    const bare = digits.replace(/^0+/, '')
    const by = parts.get(bare)
    if (by !== undefined) found = { zeros: digits.length - bare.length, by }
    if (bare.length > number_digits_max) break
  }
  return found
}

/**
 * Returns a match for each group of tokens of which digits are replaced, so that the text between the groups is
 * searched for names.
 */
function matchesOf(text: string, { digits, tokens }: DigitRun, made_up: MadeUpDigits, language: Language): Match[] {
  const said = Array.from(digits, (digit, place) => made_up.get(place) ?? digit).join('')
  const groups: { tokens: DigitToken[]; digits: string }[] = []
  // Words such as "double" belong to the digits after them.
  let [used, waiting, is_open]: [number, DigitToken[], boolean] = [0, [], false]
  for (const token of tokens) {
    waiting.push(token)
    if (token.digits === '') continue
    const own = said.slice(used, used + token.digits.length)
    const is_touched = Array.from(own).some((_, index) => made_up.has(used + index))
    used += token.digits.length
    const group = groups.at(-1)
    if (is_touched && is_open && group) {
      group.tokens.push(...waiting)
      group.digits += own
    } else if (is_touched) groups.push({ tokens: waiting, digits: own })
    is_open = is_touched
    waiting = []
  }
  return groups.map(({ tokens, digits }) => ({
    start: tokens[0]?.start ?? 0,
    end: tokens.at(-1)?.end ?? 0,
    by: spokenDigits(text, tokens, digits, language),
  }))
}
