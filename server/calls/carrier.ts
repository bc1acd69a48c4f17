import type { At } from '../kit/at.ts'
import type { Machine, SpeechPart } from '../talk/state.ts'
import type { Fact } from './facts.ts'

/** A service that places calls. The simulator is the first one. */
export interface Carrier {
  /** Dials the number. What then happens is read from the line. */
  dial: (at: At, call: CallToDial) => Promise<Line>
  /** Continues a call of a test workspace between two advances of the clock. `state` is what the line's `save` returned. */
  reopen: (at: At, state: unknown) => Line
  /** How many times faster than real time calls of live workspaces happen. Tests set it. */
  speed?: number
  /** What the carrier knows at `now` of a call whose process was killed, or from which nothing is heard. */
  find: (at: At, call: CallToDial, now: number) => Promise<Fact[]>
}

export interface CallToDial {
  id: string
  to: string
  from: string | null
  /** The simulated person, when the request has chosen one. */
  simulate: string | null
  /** Which attempt to reach this number this is, from 1. */
  attempt: number
  /** When the number was dialled. */
  started_at: number
}

/**
 * The line to the other side. Times are those of the workspace, in milliseconds. A line never throws, and ignores what comes
 * after its end.
 */
export interface Line {
  /** The voice of a simulated person, for the recording. */
  readonly contact_voice?: string
  /** When the next event happens, if the line knows: simulated lines do. */
  readonly next_at: number | undefined
  /** The events up to this time, in order. */
  take: (now: number) => LineEvent[]
  /** Real lines call back when there is something to take. It must not throw. */
  onEvent?: (wake: () => void) => void
  /** Adds words to what the agent says. They are heard after those before. */
  say: (now: number, words: { reply: string; text: string }) => void
  /** No more words of this reply follow. When all are heard, `play_done` follows. */
  endReply: (now: number, reply: string) => void
  /** Stops the agent's words at once. */
  clear: (now: number, reply: string) => void
  /** What the contact has heard so far of the reply that is playing. */
  readPlayed: (now: number) => { reply: string; parts: SpeechPart[] } | undefined
  press: (now: number, digits: string) => void
  transfer: (now: number, to: string) => void
  hangUp: (now: number) => void
  /** The state of a simulated line, as plain data. */
  save: () => unknown
}

/**
 * - `fact`: a report of the carrier. It may come late, twice, out of order, or never.
 * - `answered`: the line is open, and both sides can hear each other.
 * - `machine`: what has answered, as far as can be told. `beep`: a voicemail begins to record.
 * - `speech_started`, `heard`, `speech_stopped`: the contact speaks. `heard` has the words of this stretch of speech so far, and
 *   with `part` all of them.
 * - `played`: how much of the agent's reply the contact has heard, before each event that may interrupt it, and at the end.
 * - `play_done`: the contact has heard the whole reply. `played` comes before.
 * - `transferred`: the end of an attempt to transfer the call.
 * - `hung_up`: the contact has ended the call. `lost`: the line is broken.
 */
export type LineEvent = { at: number } & (
  | { type: 'fact'; fact: Fact }
  | { type: 'answered' }
  | { type: 'machine'; kind: Machine }
  | { type: 'beep' }
  | { type: 'speech_started' }
  | { type: 'heard'; text: string; part?: SpeechPart }
  | { type: 'speech_stopped' }
  | { type: 'digit'; digit: string }
  | { type: 'played'; reply: string; parts: SpeechPart[] }
  | { type: 'play_done'; reply: string }
  | { type: 'transferred'; is_ok: boolean }
  | { type: 'hung_up' }
  | { type: 'lost' }
)
