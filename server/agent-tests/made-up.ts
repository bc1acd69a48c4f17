import type { CustomFields } from '../contacts/schema.ts'
import { normalizeText } from '../kit/text.ts'
import type { Language } from '../models/matching.ts'
import { iso_date, looksLikeNumber, type Match, numberMatches, openKnownNumbers } from './made-up-numbers.ts'

/** This file replaces what tells who someone is by made-up values, the same each time it occurs. */

export interface PersonFields {
  first_name: string | null
  last_name: string | null
  display_name: string | null
  email: string | null
  company: string | null
  phone_number: string | null
  custom_fields: CustomFields
}

/** The facts by which a person could be recognized. */
export interface Person {
  contact: PersonFields | undefined
  /** The whole names that were said or collected, besides those of the contact. */
  names: string[]
  /** The numbers, in any form with a country code, or as digits. */
  phone_numbers: string[]
  addresses: string[]
}

export interface MadeUp {
  text: (text: string) => string
  /** Replaces in a JSON value: its texts and numbers, and the names of its members. */
  json: (value: unknown) => unknown
  contact: PersonFields | undefined
}

const given_names = ['Robin', 'Kim', 'Alex', 'Sasha', 'Jo', 'Charlie', 'Dana', 'Jamie', 'Sam', 'Toni']
const family_names = ['Winter', 'Baker', 'Carter', 'Fisher', 'Parker', 'Turner', 'Walker', 'Cooper', 'Mason', 'Porter']
const companies = ['Sample Company', 'Acme', 'Example Works']
const addresses = ['1 Sample Street', '2 Model Road', '3 Example Lane']
const words = ['sample', 'model', 'specimen', 'pattern', 'example']
/** Titles are parts of names, and name nobody. */
const titles = ['dr', 'mr', 'mrs', 'ms', 'prof', 'herr', 'frau']
const particles = new Set([
  ...titles,
  ...'von van der den de del della di da do dos la le el al bin ibn ten ter zu zum zur und and y'.split(' '),
])
/** These values of custom fields are said all the time, and name nobody. */
const common_values = new Set('yes no true false none null on off ok ja nein'.split(' '))
const company_form =
  /[\s,]+(?:ltd|limited|inc|llc|llp|plc|corp|co|gmbh|ag|kg|ohg|ug|se|sa|sarl|bv|nv|srl|spa|oy|ab|as)\.?$/i
/** Words with fewer or more letters than these are replaced only where they stand alone. */
const inside_words_min = 5
const inside_words_max = 50
/** Longer values are looked for in parts, so that no text takes long. */
const key_length_max = 100
const value_length_min = 3
/** Numbers with fewer digits are not replaced in sentences: they name nobody. */
const number_digits_min = 4
/** The scripts that are written without spaces between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u

const email_pattern = /[\p{L}\p{N}._%+'-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/gu

export function openMadeUp(
  { contact, names, phone_numbers, addresses: known_addresses }: Person,
  language: Language,
): MadeUp {
  const replacements = new Replacements(realWords(contact, names, known_addresses))
  for (const name of [contact?.first_name, ...names.map(firstWord)]) replacements.addName(name, given_names)
  replacements.addName(contact?.last_name, family_names)
  replacements.addName(firstWord(contact?.display_name), given_names)
  for (const name of [contact?.display_name, ...names]) replacements.addName(name, family_names)
  replacements.addCompany(contact?.company)
  for (const address of known_addresses) replacements.addAddress(address)
  replacements.addFullNames([[contact?.first_name, contact?.last_name].filter(Boolean).join(' '), ...names])
  const custom_fields = madeUpFields(contact?.custom_fields ?? {}, replacements)
  const known = [
    contact?.phone_number,
    ...phone_numbers,
    ...Object.values(contact?.custom_fields ?? {}).filter(looksLikeNumber),
  ]
  const numbers = openKnownNumbers(known.flatMap((number) => (number == null ? [] : String(number))))
  const emails = new Map<string, string>()
  const emailFor = (email: string): string => {
    const key = email.toLowerCase()
    const made_up = emails.get(key) ?? `${emails.size === 0 ? 'robin' : `person${emails.size + 1}`}@example.com`
    emails.set(key, made_up)
    return made_up
  }
  if (contact?.email) emailFor(contact.email)
  const spoken_email = spokenEmailPattern(language)

  const text = (text: string): string => {
    let pieces: Piece[] = [{ text, is_made_up: false }]
    pieces = replaceIn(pieces, (text) => matches(text, email_pattern, emailFor))
    pieces = replaceIn(pieces, (text) =>
      matches(text, spoken_email, () => `robin ${language.at} example ${language.dot} com`),
    )
    pieces = replaceIn(pieces, (text) => numberMatches(text, numbers, language))
    pieces = replaceIn(pieces, (text) => replacements.matchesIn(text))
    return pieces.map(({ text }) => text).join('')
  }
  const json = (value: unknown): unknown => {
    if (typeof value === 'string') return text(value)
    if (typeof value === 'number') return numberFrom(text(String(value)), value)
    if (Array.isArray(value)) return value.map(json)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [text(name), json(member)]))
  }
  const field = (value: string | null) => (value === null ? null : text(value))
  return {
    text,
    json,
    contact: contact && {
      first_name: field(contact.first_name),
      last_name: field(contact.last_name),
      display_name: field(contact.display_name),
      email: contact.email === null ? null : emailFor(contact.email),
      company: field(contact.company),
      phone_number: field(contact.phone_number),
      custom_fields: Object.fromEntries(
        Object.entries(custom_fields).map(([name, value]) => [
          name,
          value === read_by_form ? text(String(contact.custom_fields[name])) : value,
        ]),
      ),
    },
  }
}

/** Stands for an email address or a telephone number, which are found by their form. */
const read_by_form = Symbol('read by form')

const numberFrom = (text: string, value: number): number => {
  const made_up = Number(text)
  return Number.isFinite(made_up) ? made_up : value
}

interface Piece {
  text: string
  /** Whether the piece is made up, and so not replaced again. */
  is_made_up: boolean
}

/** Replaces matches in the pieces. Matches are in order, and don't overlap. */
function replaceIn(pieces: Piece[], find: (text: string) => Match[]): Piece[] {
  return pieces.flatMap((piece) => {
    if (piece.is_made_up) return piece
    const found = find(piece.text)
    if (found.length === 0) return piece
    const parts: Piece[] = []
    let position = 0
    for (const { start, end, by } of found) {
      parts.push({ text: piece.text.slice(position, start), is_made_up: false }, { text: by, is_made_up: true })
      position = end
    }
    return [...parts, { text: piece.text.slice(position), is_made_up: false }]
  })
}

const matches = (text: string, pattern: RegExp, by: (found: string) => string): Match[] =>
  [...text.matchAll(pattern)].map(({ 0: found, index }) => ({ start: index, end: index + found.length, by: by(found) }))

/** Finds "ada dot lovelace at example dot org". */
function spokenEmailPattern({ at, dot }: Language): RegExp {
  const word = "[\\p{L}\\p{N}'_-]{1,40}"
  const sign = `\\s(?:${dot}|minus|dash|underscore|hyphen)\\s`
  return new RegExp(
    `(?<![\\p{L}\\p{N}])${word}(?:${sign}${word}){0,4}\\s${at}\\s${word}(?:${sign}${word}){0,2}\\s${dot}\\s${word}`,
    'giu',
  )
}

// The rest of the file replaces names, companies, addresses and custom fields.

const normalWords = (text: string): string[] => normalizeText(text).match(/[\p{L}\p{N}]+/gu) ?? []

/** Returns the given name, also if it is a particle, as in "Al Green". Returns undefined if it is a title. */
function firstWord(name: string | null | undefined): string | undefined {
  const [first] = normalWords(name ?? '')
  return first === undefined || titles.includes(first) ? undefined : first
}

function realWords(contact: PersonFields | undefined, names: string[], addresses: string[]): Set<string> {
  const texts = [contact?.first_name, contact?.last_name, contact?.display_name, contact?.company, contact?.email]
  return new Set([...texts, ...names, ...addresses].flatMap((text) => normalWords(text ?? '')))
}

class Replacements {
  readonly #real: Set<string>
  /** The replacements by what they replace: normalized words with one space between them. */
  readonly #by = new Map<string, { by: string; is_name: boolean }>()
  readonly #used = new Set<string>()
  #tree: KeyTree | undefined

  constructor(real: Set<string>) {
    this.#real = real
  }

  /** Replaces each word of the name, so that its parts are replaced too. */
  addName(name: string | null | undefined, choices: string[]): void {
    const parts = normalWords(name ?? '')
    for (const word of parts) {
      const is_too_short = word.length < 2 && !unspaced.test(word)
      if (is_too_short || /^\d+$/.test(word) || (parts.length > 1 && particles.has(word))) continue
      this.#add(word, choices, { is_name: true })
    }
  }

  /**
   * Adds whole names, in both orders. Call it after `addName`, by whose replacements the words are replaced. They are
   * also found without a space.
   */
  addFullNames(names: string[]): void {
    for (const name of names) {
      const known = normalWords(name).filter((word) => this.#by.get(word)?.is_name)
      for (const order of [known, known.toReversed()]) {
        const by = order.map((word) => this.#by.get(word)?.by ?? '').join(' ')
        if (order.length > 1 && !this.#by.has(order.join(' '))) this.#by.set(order.join(' '), { by, is_name: true })
      }
    }
  }

  addWhole(value: string | null | undefined, choices: string[]): void {
    const key = normalWords(value ?? '').join(' ')
    if (key.length >= 2 && !common_values.has(key)) this.#add(key, choices, { is_name: false })
  }

  /** Adds a company, which is also found without "Ltd". */
  addCompany(company: string | null | undefined): void {
    const key = normalWords(company ?? '').join(' ')
    const short = normalWords(company?.replace(company_form, '') ?? '').join(' ')
    if (key.length < 2) return
    this.#add(key, companies, { is_name: false })
    if (short.length >= 2 && !this.#by.has(short))
      this.#by.set(short, { by: this.#by.get(key)?.by ?? '', is_name: false })
  }

  /** Adds an address, and its parts between commas and lines. */
  addAddress(address: string): void {
    if (isCode(address)) {
      this.addValue(address, otherDigits(address))
      return
    }
    this.addWhole(address, addresses)
    const parts = address.split(/[,;\n]+/).map((part) => part.trim())
    for (const part of parts) if (part.length > value_length_min) this.addWhole(part, addresses)
  }

  addValue(value: string, by: string): void {
    const key = normalWords(value).join(' ')
    if (key.length < value_length_min || common_values.has(key) || this.#by.has(key)) return
    this.#by.set(key, { by, is_name: false })
  }

  choose(choices: string[]): string {
    const is_free = (choice: string) =>
      !this.#used.has(choice) && !normalWords(choice).some((word) => this.#real.has(word))
    const found =
      choices.find(is_free) ?? `${words.find((word) => !this.#real.has(word)) ?? 'x'} ${this.#used.size + 1}`
    this.#used.add(found)
    return found
  }

  #add(key: string, choices: string[], { is_name }: { is_name: boolean }): void {
    if (!this.#by.has(key)) this.#by.set(key, { by: this.choose(choices), is_name })
  }

  /**
   * Finds all keys in a text. A character is looked at once for each character of the longest key at most, however many
   * keys there are.
   */
  matchesIn(text: string): Match[] {
    if (this.#by.size === 0) return []
    this.#tree ??= this.#toTree()
    const { normal, positions } = normalWithPositions(text)
    const found: Match[] = []
    for (let index = 0; index < normal.length; ) {
      const key = longestKey(this.#tree, normal, index)
      if (key) {
        const [start = 0, end = text.length] = [positions[index], positions[key.end]]
        found.push({ start, end, by: inCaseOf(text.slice(start, end), key.by) })
      }
      index = key?.end ?? index + 1
    }
    return found
  }

  #toTree(): KeyTree {
    const tree = newTree()
    for (const [whole, { by, is_name }] of this.#by) {
      const keys = whole.length <= key_length_max ? [whole] : partsOf(whole)
      for (const key of keys) {
        const is_anywhere =
          unspaced.test(key) || (is_name && key.length >= inside_words_min && key.length <= inside_words_max)
        addKey(tree, key, { by, is_anywhere })
        if (is_name && key.includes(' '))
          addKey(tree, key.replaceAll(' ', ''), { by: by.replaceAll(' ', ''), is_anywhere })
      }
    }
    return tree
  }
}

/** Splits a long key at spaces, where there are some. The last part is not a short one that is said all the time. */
const partsOf = (key: string): string[] =>
  key.match(unspaced.test(key) ? /.{1,50}/gu : /[^ ].{0,99}(?= .{20}|$)|[^ ]+/g) ?? []

/** The keys that go on after a character. */
interface KeyTree {
  /** The next characters by their codes, which are found faster than characters. */
  next: Map<number, KeyTree>
  /** The replacement of the key that ends here. */
  by: string | undefined
  /** Whether the key that ends here is also found inside words. */
  is_anywhere: boolean
  /** Whether a key that is found inside words goes on or ends here. */
  has_anywhere: boolean
}

const newTree = (): KeyTree => ({ next: new Map(), by: undefined, is_anywhere: false, has_anywhere: false })

/** Adds a key. The first one with the same key stays. */
function addKey(tree: KeyTree, key: string, { by, is_anywhere }: { by: string; is_anywhere: boolean }): void {
  let node = tree
  for (let index = 0; index < key.length; index += 1) {
    const code = key.charCodeAt(index)
    const next = node.next.get(code) ?? newTree()
    node.next.set(code, next)
    if (is_anywhere) next.has_anywhere = true
    node = next
  }
  node.by ??= by
  node.is_anywhere ||= is_anywhere
}

/** Finds the longest key that begins at this place: a whole name before its parts. */
function longestKey(tree: KeyTree, text: string, start: number): { end: number; by: string } | undefined {
  const is_inside = start > 0 && text[start - 1] !== ' '
  const endsWord = (end: number) => end === text.length || text[end] === ' '
  let found: { end: number; by: string } | undefined
  let node = tree.next.get(text.charCodeAt(start))
  for (let end = start + 1; node && (node.has_anywhere || !is_inside); end += 1) {
    const { by, is_anywhere } = node
    const is_word = !is_inside && (endsWord(end) || (text[end] === 's' && endsWord(end + 1)))
    if (by !== undefined && (is_anywhere || is_word)) found = { end, by }
    node = node.next.get(text.charCodeAt(end))
  }
  return found
}

/**
 * Returns the text without case and accents, with a space for what is between words, and for each of its places the one in the
 * text. Words with more than three characters between them have two spaces, which no key has.
 */
function normalWithPositions(text: string): { normal: string; positions: number[] } {
  let normal = ''
  const positions: number[] = []
  let position = 0
  let between = 0
  for (const character of text) {
    const plain = (character.codePointAt(0) ?? 0) < 0x80 ? character.toLowerCase() : normalizeText(character)
    for (const one of plain) {
      const is_in_word = /[\p{L}\p{N}]/u.test(one)
      between = is_in_word ? 0 : between + 1
      const shown = is_in_word ? one : between === 1 || between === 4 ? ' ' : ''
      normal += shown
      for (let index = 0; index < shown.length; index += 1) positions.push(position)
    }
    position += character.length
  }
  return { normal, positions }
}

function inCaseOf(real: string, made_up: string): string {
  if (/\p{Lu}/u.test(real) && real === real.toUpperCase() && real.length > 1) return made_up.toUpperCase()
  return real === real.toLowerCase() && /\p{Ll}/u.test(real) ? made_up.toLowerCase() : made_up
}

type MadeUpFields = Record<string, CustomFields[string] | typeof read_by_form>

function madeUpFields(fields: CustomFields, replacements: Replacements): MadeUpFields {
  const made_up = Object.entries(fields).map(([name, value]): [string, MadeUpFields[string]] => {
    if (typeof value === 'boolean') return [name, value]
    if (typeof value === 'number') {
      const by = Number(otherDigits(String(value)))
      if (String(value).length >= number_digits_min) replacements.addValue(String(value), String(by))
      return [name, by]
    }
    if (value.match(email_pattern) || looksLikeNumber(value)) return [name, read_by_form]
    const key = normalizeText(value).trim()
    if (common_values.has(key)) return [name, value]
    const by = madeUpValue(value, replacements)
    replacements.addValue(value, by)
    for (const part of value.split(/[,;\n]+/))
      if (part.trim().length > value_length_min) replacements.addValue(part, by)
    return [name, by]
  })
  return Object.fromEntries(made_up)
}

function madeUpValue(value: string, replacements: Replacements): string {
  if (iso_date.test(value)) return value === '1990-01-15' ? '1991-02-16' : '1990-01-15'
  // A code keeps its form.
  return isCode(value) ? otherDigits(value) : replacements.choose(words)
}

/** Whether the value is a code, such as a customer number or a postal code. */
const isCode = (value: string): boolean => /\d/.test(value) && !/\s/.test(value)

/** Replaces digits and letters by counting, so that nothing of the value is left: `K-10423` becomes `A-12345`. */
function otherDigits(text: string): string {
  const replace = (first: number) => {
    let [digits, letters] = [first, 0]
    return text.replace(/\d|\p{L}/gu, (character) => {
      if (!/\d/.test(character)) return String.fromCodePoint(65 + (letters++ % 26))
      digits += 1
      return String(((digits - 1) % 9) + 1)
    })
  }
  const counted = replace(0)
  return counted === text ? replace(4) : counted
}
