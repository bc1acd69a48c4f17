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
  /** They are not heard in a question. */
  in_statements?: string[]
  /** They have an `@`. */
  by_name?: string[]
  /** The words of these are not heard as part of another phrase. */
  but?: string[]
}

/** What the matcher knows of a language. Words are in lower case, without accents and apostrophes; numbers are digits. */
export interface Language {
  intents: Record<Intent, IntentPhrases>
  /** With one of these in a message, `yes` is heard only in phrases that have one too. */
  negations: string[]
  /** They may stand before what begins a clause, and after what ends it. */
  openers: string[]
  closers: string[]
  /** They may stand between the words of a phrase. */
  fillers: string[]
  /** How a clause that asks begins. */
  question: RegExp
  numbers: Record<string, number>
  /** A number before one of these words is multiplied by it. The largest comes first. */
  multipliers: [word: string, factor: number][]
  /** May stand between the parts of a number. */
  and: string
  /** Said for digits one by one, such as "double five". */
  repetitions: Record<string, number>
  zero_names: string[]
  plus: string
  /** The numbers of days, such as "first". */
  ordinals: Record<string, number>
  before_ordinal: string[]
  /** They have the spellings of each weekday, from Monday, and of each month. */
  weekdays: string[][]
  months: string[][]
  /** Each phrase has its number of days from today. The longest phrases come first. */
  days: [phrase: string, days: number][]
  /** They contain a word of `days` and mean no day. */
  greetings: string[]
  /** They stand after "in" and a number. */
  units: Record<string, number>
  /** They stand before a weekday, or before "week" after it, and mean the week that begins next Monday. */
  next: string[]
  week: string
  is_month_first: boolean
  times: TimeRule[]
  /** Tells 3 in the morning from 3 in the afternoon. */
  morning: RegExp
  afternoon: RegExp
  /** They stand for signs in spoken email addresses. */
  at: string
  dot: string
  /** They stand before a name. The weak ones are often followed by something else. */
  name: RegExp
  weak_name: RegExp
  /** Words that are no part of a name, besides weekdays. */
  not_names: string[]
  /** Those of answers: they may be part of a name that stands after a strong `name`. */
  weak_not_names: string[]
}

/** Patterns are for normalized text: words separated by one space. */
export interface TimeRule {
  pattern: RegExp
  /** Returns minutes since midnight. A group that is absent is 0. */
  minutes: (first: number, second: number) => number
  /** No half of the day is guessed. */
  is_exact?: boolean
}

/** Numbers the words from `first` on. */
export const numbered = (words: string, first: number): Record<string, number> =>
  Object.fromEntries(words.split(' ').map((word, index) => [word, first + index]))

/** Returns a list of spellings for each of the comma-separated items. */
export const spellings = (items: string): string[][] => items.split(', ').map((item) => item.split(' '))

export const phrases = (list: string): string[] => list.split(', ')
