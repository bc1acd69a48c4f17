export const intents = ['yes', 'no', 'repeat', 'human', 'stop', 'wrong_person', 'busy', 'goodbye'] as const
export type Intent = (typeof intents)[number]

/**
 * What is heard as an intent. A phrase is heard where its words follow each other:
 *
 * - `a/b` is one of these words, and `[a]` may be missing.
 * - `…` stands for up to three other words of the same clause.
 * - `^` at the start: the phrase begins a clause. `$` at the end: it ends a clause. `=` at the start: it is the whole message. Words
 *   such as "well" and "thanks" may stand beside it.
 * - `@` is the name of a person or a place to whom the agent may hand over.
 */
export interface IntentPhrases {
  anywhere?: string[]
  /** Phrases that are not heard in a question. */
  in_statements?: string[]
  /** Phrases with an `@`. */
  by_name?: string[]
  /** The words of these phrases are not heard as part of another phrase. */
  but?: string[]
}

/** What the matcher knows of a language. Words are in lower case, without accents and apostrophes; numbers are digits. */
export interface Language {
  intents: Record<Intent, IntentPhrases>
  /** With one of these in a message, `yes` is heard only in phrases that have one too. */
  negations: string[]
  /** Words that may stand before what begins a clause. `closers` may stand after what ends it. */
  openers: string[]
  closers: string[]
  /** Words that may stand between the words of a phrase. */
  fillers: string[]
  /** Matches the beginning of a clause that asks. */
  question: RegExp
  numbers: Record<string, number>
  /** A number before one of these words is multiplied by it. The largest comes first. */
  multipliers: [word: string, factor: number][]
  /** The word that may stand between the parts of a number. */
  and: string
  /** Words for digits one by one, such as "double five". */
  repetitions: Record<string, number>
  zero_names: string[]
  plus: string
  /** The numbers of days, such as "first". */
  ordinals: Record<string, number>
  before_ordinal: string[]
  /** The spellings of each weekday, from Monday. `months` has those of each month. */
  weekdays: string[][]
  months: string[][]
  /** Phrases with the number of days from today. The longest phrases come first. */
  days: [phrase: string, days: number][]
  /** Phrases that contain a word of `days` and mean no day. */
  greetings: string[]
  /** Words after "in" and a number, with their days. */
  units: Record<string, number>
  /** Words before a weekday, or before the word in `week`. They mean the week that begins next Monday. */
  next: string[]
  week: string
  is_month_first: boolean
  times: TimeRule[]
  /** Tells 3 in the morning from 3 in the afternoon. */
  morning: RegExp
  afternoon: RegExp
  /** The words for the signs in spoken email addresses. */
  at: string
  dot: string
  /** Matches what stands before a name. What `weak_name` matches is often followed by something else. */
  name: RegExp
  weak_name: RegExp
  /** Words that are no part of a name, besides weekdays. */
  not_names: string[]
  /** Words of answers, which may be part of a name only after a strong `name`. */
  weak_not_names: string[]
}

/** A pattern of a time, for normalized text: words separated by one space. */
interface TimeRule {
  pattern: RegExp
  /** Returns minutes since midnight. A group that is absent is 0. */
  minutes: (first: number, second: number) => number
  /** Set when no half of the day is to be guessed. */
  is_exact?: boolean
}

/** Numbers the words, beginning with `first`. */
export const numbered = (words: string, first: number): Record<string, number> =>
  Object.fromEntries(words.split(' ').map((word, index) => [word, first + index]))

/** Returns a list of spellings for each of the comma-separated items. */
export const spellings = (items: string): string[][] => items.split(', ').map((item) => item.split(' '))

export const phrases = (list: string): string[] => list.split(', ')
