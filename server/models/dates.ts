import * as clock from '../kit/clock.ts'
import { localIso } from '../kit/time-zone.ts'
import type { Language } from './languages/language.ts'
import { type Heard, isSpelledLike, ownValue } from './matching.ts'

/** When and where something was said. */
export interface Moment {
  /** The time in milliseconds. */
  now: number
  /** An IANA name. The default is UTC. */
  time_zone?: string | undefined
  /**
   * A BCP 47 tag. Its region is the country of phone numbers without a country code, and tells how dates are written.
   */
  language?: string | undefined
}

/** Finds the first date that is named in a message, such as `2026-11-17`. A date without a year is the next one. */
export function findDate(heard: Heard, moment: Moment): string | undefined {
  const { text, language } = heard
  const words = withCanonicalNames(heard.words, language)
  const today = localDay(moment)
  return (
    isoDate(text) ??
    numericDate(text, today, { is_month_first: isMonthFirst(language, moment) }) ??
    namedDate(words, today, language) ??
    dayAfter(words, today, language) ??
    weekday(words, today, language) ??
    dayOfMonth(text, words, today, language)
  )
}

function isoDate(text: string): string | undefined {
  const [, year, month, day] = /\b(\d{4})-(\d{1,2})-(\d{1,2})\b/.exec(text) ?? []
  return year ? toDate(Number(year), Number(month), Number(day)) : undefined
}

/** Reads `17.11.2026`, `17.11.`, `11/17/26` or `11/17`. */
function numericDate(
  text: string,
  today: string,
  { is_month_first }: Pick<Language, 'is_month_first'>,
): string | undefined {
  const match = /\b(\d{1,2})([./-])(\d{1,2})(?:\2(\d{4}|\d\d)?)?(?!\d)/.exec(text)
  if (!match) return undefined
  const [, first = '', separator, second = '', year] = match
  const numbers = [Number(first), Number(second)]
  const is_swapped = separator === '/' && is_month_first ? Number(first) <= 12 : Number(second) > 12
  const [day = 0, month = 0] = is_swapped ? numbers.reverse() : numbers
  // "9.30" and "9-10" are more often times than dates.
  if (year === undefined && separator !== '/' && !match[0].endsWith('.')) return undefined
  return withYear(day, month, year, today)
}

const regions_with_day_first = /-(?:au|gb|ie|in|nz|za)\b/i

const isMonthFirst = (language: Language, { language: tag = '' }: Moment): boolean =>
  language.is_month_first && !regions_with_day_first.test(tag)

/** Reads "17th of November 2026" or "November 17". */
function namedDate(words: string[], today: string, language: Language): string | undefined {
  for (const [index, word] of words.entries()) {
    const month = language.months.findIndex((names) => names.includes(word)) + 1
    if (month === 0) continue
    const before = dayBefore(words, words[index - 1] === 'of' ? index - 1 : index, language)
    const after = before === undefined ? dayFrom(words, index + 1, language) : undefined
    const day = before ?? after?.day
    if (day === undefined) continue
    const year = words.slice(after?.end ?? index + 1, (after?.end ?? index + 1) + 2).find((one) => /^\d{4}$/.test(one))
    const date = withYear(day, month, year, today)
    if (date !== undefined) return date
  }
  return undefined
}

function dayBefore(words: string[], end: number, language: Language): number | undefined {
  const two = dayFrom(words, end - 2, language)
  if (two?.end === end) return two.day
  const one = dayFrom(words, end - 1, language)
  return one?.end === end ? one.day : undefined
}

/** Reads the number of a day that begins at this word: `17`, `17th`, "seventeenth" or "20 first". */
function dayFrom(words: string[], start: number, language: Language) {
  const word = words[start] ?? ''
  const ordinal = ownValue(language.ordinals, words[start + 1]) ?? 10
  if ((word === '20' || word === '30') && ordinal < 10) return { day: Number(word) + ordinal, end: start + 2 }
  const day = Number(/^(\d{1,2})(?:st|nd|rd|th)?$/.exec(word)?.[1] ?? ownValue(language.ordinals, word))
  return day >= 1 && day <= 31 ? { day, end: start + 1 } : undefined
}

/** Reads "tomorrow" or "in 3 days". */
function dayAfter(words: string[], today: string, language: Language): string | undefined {
  const text = language.greetings.reduce((rest, one) => rest.replaceAll(` ${one} `, ' '), ` ${words.join(' ')} `)
  const named = language.days.find(([phrase]) => text.includes(` ${phrase} `))
  if (named) return addDays(today, named[1])
  const unitAt = (index: number) => ownValue(language.units, words[index + 2])
  const index = words.findIndex(
    (word, at) => word === 'in' && /^\d{1,3}$/.test(words[at + 1] ?? '') && unitAt(at) !== undefined,
  )
  return index === -1 ? undefined : addDays(today, Number(words[index + 1]) * (unitAt(index) ?? 0))
}

/** Returns the next day of that name, after today. With "next" it is the day of the week that begins next Monday. */
function weekday(words: string[], today: string, language: Language): string | undefined {
  const named = words.map((word) => language.weekdays.findIndex((names) => names.includes(word)))
  const isNamed = (day: number) => day !== -1
  const isAccepted = (day: number, at: number) => isNamed(day) && !language.negations.includes(words[at - 1] ?? '')
  const accepted = named.findIndex(isAccepted)
  const index = accepted === -1 ? named.findIndex(isNamed) : accepted
  const wanted = named[index]
  if (wanted === undefined) return undefined
  const is_next_week =
    language.next.includes(words[index - 1] ?? '') ||
    (language.next.includes(words[index + 1] ?? '') && words[index + 2] === language.week)
  const current = weekdayOf(today)
  if (is_next_week) return addDays(today, 7 - current + wanted)
  return addDays(today, ((wanted - current + 6) % 7) + 1)
}

/** Reads "the 17th" as a day of this month, or of the next one in which that day is still to come. */
function dayOfMonth(text: string, words: string[], today: string, language: Language): string | undefined {
  const day = ordinalDay(words, language) ?? writtenDay(text, language)
  if (day === undefined) return undefined
  const [year = 0, month = 0] = today.split('-').map(Number)
  const dates = [0, 1, 2].map((months) => {
    const from_january = month - 1 + months
    return toDate(year + Math.floor(from_january / 12), (from_january % 12) + 1, day)
  })
  return dates.find((date) => date !== undefined && date >= today)
}

/** Reads `17th`, or the word after one such as "the": "second" alone is a duration. */
function ordinalDay(words: string[], language: Language): number | undefined {
  const index = words.findIndex((word, at) => {
    const is_announced = language.before_ordinal.includes(words[at - 1] ?? '')
    const has_suffix = /^\d{1,2}(?:st|nd|rd|th)$/.test(word)
    const is_word = Object.hasOwn(language.ordinals, word) || dayFrom(words, at, language)?.end === at + 2
    return has_suffix || (is_announced && is_word)
  })
  return index === -1 ? undefined : dayFrom(words, index, language)?.day
}

/** Reads "am 17.". */
function writtenDay(text: string, { before_ordinal }: Language): number | undefined {
  const parts = text.toLowerCase().split(/\s+/)
  const found = parts.find((part, at) => /^\d{1,2}\.$/.test(part) && before_ordinal.includes(parts[at - 1] ?? ''))
  return found === undefined ? undefined : Number.parseInt(found, 10)
}

function withYear(day: number, month: number, year: string | undefined, today: string): string | undefined {
  if (year !== undefined) return toDate(Number(year) + (year.length === 2 ? 2000 : 0), month, day)
  const this_year = Number(today.slice(0, 4))
  // February 29 may be up to eight years away.
  const years = Array.from({ length: 9 }, (_, index) => this_year + index)
  return years.map((one) => toDate(one, month, day)).find((date) => date !== undefined && date >= today)
}

/** Returns undefined if there is no such day. */
function toDate(year: number, month: number, day: number): string | undefined {
  const date = [String(year).padStart(4, '0'), ...[month, day].map((part) => String(part).padStart(2, '0'))].join('-')
  return clock.isIso(`${date}T00:00:00.000Z`) ? date : undefined
}

const daysOf = (date: string): number => clock.parse(`${date}T00:00:00.000Z`) / clock.day_ms
const addDays = (date: string, days: number): string => clock.iso((daysOf(date) + days) * clock.day_ms).slice(0, 10)
/** Returns the number of the weekday, where Monday is 0. The first day of 1970 was a Thursday. */
const weekdayOf = (date: string): number => (((daysOf(date) + 3) % 7) + 7) % 7

const localDay = ({ now, time_zone = 'UTC' }: Moment): string => localIso(time_zone, now).slice(0, 10)

/** Replaces names of weekdays and months that have a typo. */
function withCanonicalNames(words: string[], { weekdays, months }: Language): string[] {
  const names = [...weekdays, ...months].flat()
  const canonical = (word: string) =>
    names.includes(word) ? word : (names.find((name) => isSpelledLike(word, name)) ?? word)
  return words.map((word) => (/^[0-9]/.test(word) ? word : canonical(word)))
}

const minutes_of_day = 24 * 60

/** Finds the first time in a message, such as `09:00`. From 1 to 6 it is in the afternoon unless the message says otherwise. */
export function findTime({ text, words, language }: Heard): string | undefined {
  const written = /\b(\d{1,2})[:h]([0-5]\d)(?!\d)(?:\s?([ap])\.?\s?m\b)?/i.exec(text)
  const normalized = words.join(' ')
  if (written) {
    const [, hour = '', minute, half] = written
    const minutes = (half ? Number(hour) % 12 : Number(hour)) * 60 + Number(minute)
    if (half) return toTime(minutes + (half.toLowerCase() === 'p' ? minutes_of_day / 2 : 0))
    return toTime(hour.startsWith('0') ? minutes : inHalfOfDay(minutes, normalized, language))
  }
  for (const { pattern, minutes, is_exact } of language.times) {
    const match = pattern.exec(normalized)
    if (!match) continue
    const found = minutes(Number(match[1] ?? 0), Number(match[2] ?? 0))
    const is_24_hours = is_exact || match[1]?.startsWith('0')
    const time = toTime(is_24_hours ? found : inHalfOfDay(found, normalized, language))
    if (time !== undefined) return time
  }
  // The answer to "At what time?" may be a number only.
  const [, hour, minute] = /^(\d{1,2})(?: ([0-5]\d))?$/.exec(normalized) ?? []
  if (hour === undefined) return undefined
  return toTime(inHalfOfDay(Number(hour) * 60 + Number(minute ?? 0), normalized, language))
}

function inHalfOfDay(minutes: number, normalized: string, { morning, afternoon }: Language): number {
  const is_before_noon = minutes >= 0 && minutes < minutes_of_day / 2
  if (!is_before_noon || morning.test(normalized)) return minutes
  const is_afternoon = afternoon.test(normalized) || minutes < 7 * 60
  return is_afternoon ? minutes + minutes_of_day / 2 : minutes
}

function toTime(minutes: number): string | undefined {
  if (minutes < 0 || minutes > minutes_of_day) return undefined
  const [hour, minute] = [Math.floor(minutes / 60) % 24, minutes % 60]
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`
}
