import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { check, email } from '../kit/field.ts'
import { normalizeText, truncate } from '../kit/text.ts'
import { findDate, findTime, type Moment } from './dates.ts'
import type { Language } from './languages/language.ts'
import { type Heard, ownValue, type Score, score_min } from './matching.ts'

export const slots = ['digits', 'date', 'time', 'phone', 'name', 'email'] as const
export type Slot = (typeof slots)[number]

export interface FoundSlot extends Score {
  value: string
}

const digits_max = 32
const name_words_max = 4

/** Returns the value of a slot in a message, as text. A slot counts as a phrase of one word. */
export function findSlot(slot: Slot, heard: Heard, moment: Moment): FoundSlot | undefined {
  if (slot === 'name') return findName(heard)
  const value = finders[slot](heard, moment)
  return value === undefined ? undefined : { value, score: 1, length: 1 }
}

const finders: Record<Exclude<Slot, 'name'>, (heard: Heard, moment: Moment) => string | undefined> = {
  digits: (heard) => longestRun(heard)?.digits,
  date: findDate,
  time: findTime,
  phone: findPhone,
  email: findEmail,
}

interface Run {
  digits: string
  has_plus: boolean
  /** Whether the run has a number, and not only words such as "oh", which stand for a zero among digits. */
  has_number: boolean
}

/** Finds the longest sequence of digits, also if they are spoken one by one. */
function longestRun({ words, language }: Heard): Run | undefined {
  const runs: Run[] = []
  let run: Run | undefined
  for (const [index, word] of words.entries()) {
    const digits = digitsOf(word, words[index - 1], language)
    if (digits === undefined) {
      if (!Object.hasOwn(language.repetitions, word)) run = undefined
      continue
    }
    if (!run) {
      run = { digits: '', has_plus: words[index - 1] === language.plus, has_number: false }
      runs.push(run)
    }
    run.digits = truncate(run.digits + digits, digits_max)
    run.has_number ||= /^[0-9]/.test(word)
  }
  return runs.filter(({ has_number }) => has_number).toSorted((a, b) => b.digits.length - a.digits.length)[0]
}

function digitsOf(word: string, before: string | undefined, language: Language): string | undefined {
  const digits = language.zero_names.includes(word) ? '0' : word
  if (!/^[0-9]+$/.test(digits)) return undefined
  return digits.length === 1 ? digits.repeat(ownValue(language.repetitions, before) ?? 1) : digits
}

const written_phone = /[+(]{0,2}\d[\d\s()./-]{5,28}\d/
const phone_digits_min = 7

/** Returns a phone number in E.164 form if the country is known, else the digits. */
function findPhone(heard: Heard, moment: Moment): string | undefined {
  const spoken = longestRun(heard)
  const written = written_phone.exec(heard.text)?.[0]
  const candidate = written ?? (spoken && `${spoken.has_plus ? '+' : ''}${spoken.digits}`)
  const digits = candidate?.replace(/\D/g, '') ?? ''
  if (candidate === undefined || digits.length < phone_digits_min) return undefined
  const parsed = parsePhoneNumberFromString(candidate.replace(/^00/, '+'), countryOf(moment.language))
  return parsed?.isPossible() ? parsed.number : digits
}

function countryOf(language = ''): CountryCode | undefined {
  const region = /-([a-z]{2})\b/i.exec(language)?.[1]?.toUpperCase() ?? ''
  return isSupportedCountry(region) ? region : undefined
}

function findEmail({ text, language: { at, dot } }: Heard): string | undefined {
  const one_spaced = text.toLowerCase().split(/\s+/).join(' ')
  const written = firstEmail(one_spaced)
  if (written !== undefined || !one_spaced.includes(` ${at} `)) return written
  return firstEmail(one_spaced.replaceAll(` ${dot} `, '.').replaceAll(` ${at} `, '@'))
}

const email_length_max = 254

const firstEmail = (text: string): string | undefined =>
  text
    .split(' ')
    .filter((word) => word.includes('@') && word.length <= email_length_max)
    .map((word) => word.replace(/^[<("'“„]+/, '').replace(/[>)"'”“.,;:!?]+$/, ''))
    .find((word) => !email[check]?.(word))

/**
 * Finds a name. After "my name is" it is certain. After "I am", or as all that was said, it counts less than anything
 * else.
 */
function findName({ text, language }: Heard): FoundSlot | undefined {
  const certain = nameAfter(language.name, text, (word) => !language.not_names.includes(word))
  if (certain !== undefined) return { value: certain, score: 1, length: 1 }
  const words = nonNames(language)
  const value =
    nameAfter(language.weak_name, text, (word) => !words.has(word)) ?? wholeName(text, (word) => !words.has(word))
  return value === undefined ? undefined : { value, score: score_min, length: 1 }
}

const end_of_name = /[^\p{L}\p{M}\s'’.-]|(?<!\b(?:dr|mr|mrs|ms|prof|st))\.(?:\s|$)/iu

type WordCheck = (word: string) => boolean

function nameAfter(pattern: RegExp, text: string, mayBeName: WordCheck): string | undefined {
  const match = pattern.exec(text)
  if (!match) return undefined
  const [sentence = ''] = text.slice(match.index + match[0].length).split(end_of_name, 1)
  const words = sentence.split(/\s+/).filter(Boolean)
  const end = words.findIndex((word) => !isNameWord(word, mayBeName))
  return toName(words.slice(0, end === -1 ? name_words_max : Math.min(end, name_words_max)))
}

function wholeName(text: string, mayBeName: WordCheck): string | undefined {
  const words = text.trim().replace(/[.!]$/, '').split(/\s+/)
  if (words.length > name_words_max || !words.every((word) => isNameWord(word, mayBeName))) return undefined
  return toName(words)
}

const name_word = /^\p{L}[\p{L}\p{M}'’.-]{0,39}$/u

const isNameWord = (word: string, mayBeName: WordCheck): boolean =>
  name_word.test(word) && mayBeName(normalizeText(word).replace(/['’]/g, ''))

/** Writes a name, with the capital letters in which it was written. */
const toName = (words: string[]): string | undefined =>
  words.map((word) => (word === word.toLowerCase() ? capitalize(word) : word)).join(' ') || undefined

const capitalize = (word: string): string => word.replace(/^\p{L}|(?<=-)\p{L}/gu, (letter) => letter.toUpperCase())

const nonNames = ({ weekdays, not_names, weak_not_names }: Language): Set<string> =>
  new Set([...weekdays.flat(), ...not_names, ...weak_not_names])
