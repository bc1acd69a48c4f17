import { distance } from 'fastest-levenshtein'

/** Cuts the text to this length, without splitting a surrogate pair. */
export const truncate = (text: string, length_max: number): string =>
  text.slice(0, length_max).replace(/[\ud800-\udbff]$/, '')

/** Formats a number with its noun, such as "1 row" or "1,200 rows". */
export const counted = (number: number, one: string, many: string): string =>
  `${number.toLocaleString('en')} ${number === 1 ? one : many}`

/** Decodes at most `bytes_max` bytes of UTF-8 without splitting a character. */
export const truncateBytes = (bytes: Uint8Array, bytes_max: number): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, bytes_max), {
    stream: bytes.length > bytes_max,
  })

/** Replaces what PostgreSQL can't store: NUL and lone surrogates. */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\u0000', '\ufffd')

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are taken out
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** Removes control characters, except tabs and line feeds. Unpaired surrogates are replaced. */
export const printable = (text: string): string => text.toWellFormed().replace(control, '')

/** A JSON value with texts and names that are printable. Its depth must be limited. */
export function printableJson(value: unknown): unknown {
  if (typeof value === 'string') return printable(value)
  if (Array.isArray(value)) return value.map(printableJson)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [printable(name), printableJson(member)]))
}

/** Letters that Unicode doesn't decompose into a base letter and an accent. */
const base_letters: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
  ς: 'σ',
}
const special_letters = new RegExp(`[${Object.keys(base_letters).join('')}]`, 'g')
const accents = /[\u0300-\u036f]/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII, which most texts are
const ascii = /^[\u0000-\u007f]*$/

/** Removes case and accents, so that a search finds `Zoë` by `zoe`. */
export function normalizeText(text: string): string {
  const lower = text.toLowerCase()
  if (ascii.test(lower)) return lower
  const stripped = lower.normalize('NFKD').toLowerCase().replace(accents, '')
  return stripped.replace(special_letters, (letter) => base_letters[letter] ?? letter).normalize('NFC')
}

/** Whether one text becomes the other by inserting, deleting and replacing at most this many UTF-16 code units. */
export function isWithinDistance(left: string, right: string, distance_max: number): boolean {
  if (Math.abs(left.length - right.length) > distance_max) return false
  // One change leaves the first or the last letter as it is. Most words are told apart by that.
  if (distance_max === 1 && left[0] !== right[0] && left.at(-1) !== right.at(-1)) return left.length + right.length < 3
  return distance(left, right) <= distance_max
}
