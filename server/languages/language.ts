import type { Phrase } from './wish.ts'

/** What the engine knows of a language. */
export interface Language {
  /** The primary tag of BCP 47. */
  tag: string
  opt_outs: OptOuts
  /** Each of these asks, as a whole message, for messages again. */
  opt_in_words: string[]
  /** Each of these asks, as a whole message, how to get no more messages, or to get them again. */
  help_words: string[]
  /** Answers that count where nothing but a clear yes does. */
  answers: {
    /** Whole answers that mean yes. */
    yes: string[]
    /** Answers that mean the same as yes to `no_more_question`. */
    no_more: string[]
    /** Words that may stand beside an answer. */
    courtesies: string[]
  }
  /** The sentences that agents say. */
  sayings: Sayings
}

export interface Sayings {
  /** Confirms an opt-out by SMS, and says how to get messages again. */
  opt_out: string
  /** Confirms an opt-out elsewhere in writing. */
  no_more_messages: string
  /** Confirms an opt-out in a call, which then ends. */
  no_more_calls: string
  /** Asks whether the contact meant an opt-out. */
  no_more_question: string
  /** Says at the start of a call which key ends the calls for good: `{key}`. */
  press_key: string
  /** How the key * is called there. `hash` is the name of the key #. */
  star: string
  hash: string
}

/** How people ask for no more calls and messages. They count for every agent, whatever it speaks. */
interface OptOuts {
  /** Each of these asks for it as a whole message, wherever it is written. */
  words: string[]
  /** Each of these asks for it by SMS, where carriers prescribe it. Elsewhere it is an ordinary word. */
  sms_words?: string[]
  /** Words that people also say about appointments, or as an answer. The agent takes them. */
  ordinary_words: string[]
  /** Sentences that ask for it. */
  phrases: Phrase[]
  /** Matches wishes for another way to be reached. The agent asks about them. */
  another_way: RegExp
  /** Words such as "now", which are said with a demand. In "don't call me now" they mean "not yet". */
  at_once?: string[]
  /** Words that change nothing about a wish, such as "please", and pairs of words, such as "thank you". */
  fillers: string[]
}

/** The items of a list, which are separated by commas. */
export const listed = (list: string): string[] => list.split(', ')
