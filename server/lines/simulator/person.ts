import type { Voice } from '../../agents/call-settings.ts'
import type { Final } from '../../calls/facts.ts'
import type { Machine } from '../../talk/state.ts'

/** Milliseconds: exactly, or drawn from a range. */
export type Wait = number | readonly [number, number]

/** What a person does at one moment. Variants are drawn by the seed. */
export interface Act {
  /** The words, as variants. A `|` is a pause in the middle of a sentence. */
  say?: readonly string[]
  /** The state after the act. Without it the state stays. */
  go?: string
  /** The person hangs up this long after the last word. */
  hang_up_ms?: number
  /** A voicemail begins to record this long after the last word. */
  beep_ms?: number
}

export interface Topic extends Act {
  /** Phrases of the agent. The one that fits best is chosen, by the matcher of scripts. */
  hear: readonly string[]
}

/** How a person behaves for a while. It says nothing where it has no act. */
export interface PersonState {
  /** What the person answers when the agent has finished. */
  on?: readonly Topic[]
  else?: Act
  /** What the person does when the agent says nothing for a while. */
  silence?: Act & { after_ms: number }
  /** What the person does in any case, this long after its own last word. */
  timeout?: Act & { after_ms: Wait }
  /** What the person says while the agent speaks, this long after the agent's first word. */
  interruption?: Act & { after_ms: Wait }
  /** What the person does when the agent presses a digit. Any other digit is like the time-out. */
  digits?: Readonly<Record<string, Act>>
  /** Set when the person has said goodbye. */
  is_leaving?: true
}

/** What becomes of text messages to a person. */
interface Texting {
  report: 'delivered' | 'failed' | 'none'
  /** The first message of a conversation fails, the others don't. */
  fails_once?: true
  /** Words that the person writes instead of those that it would say. */
  reply?: string
  is_silent?: true
}

export interface Person {
  description: string
  voice: Voice
  /** What happens if nobody answers the call. */
  unanswered?: { final: Final; after_ms: Wait; is_ringing: boolean }
  rings_ms?: Wait
  /** The kind of machine that answers, if it is not a person. */
  machine?: Exclude<Machine, 'human'>
  opening?: Act
  states: Readonly<Record<string, PersonState>>
  /** The person says goodbye after this many turns. */
  turns_max?: number
  /** Words that the person says before each answer. */
  hesitation?: readonly string[]
  hangs_up_in_mid_sentence?: true
  /** The carrier reports everything twice and late. */
  has_repeated_reports?: true
  /** The carrier reports nothing. */
  has_no_reports?: true
  texting: Texting
}
