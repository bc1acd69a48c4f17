import type { Machine, SpeechPart } from './state.ts'

/**
 * The line to the other side of a call. Times are those of the workspace, in milliseconds. A line never throws, and ignores what comes
 * after its end. A fact is what its carrier reports.
 */
export interface Line<Fact> {
  /** The voice of a simulated person, for the recording. */
  readonly contact_voice?: string
  /** When the next event happens, if the line knows: simulated lines do. */
  readonly next_at: number | undefined
  /** The events up to this time, in order. */
  take: (now: number) => LineEvent<Fact>[]
  /** Real lines call back when there is something to take. It must not throw. */
  onEvent?: (wake: () => void) => void
  /** Adds words to what the agent says. They are heard after those before. */
  say: (now: number, words: { reply: string; text: string; is_uninterruptible?: boolean }) => void
  /** No more words of this reply follow. When all are heard, `play_done` follows. */
  endReply: (now: number, reply: string, options?: { is_uninterruptible?: boolean }) => void
  /** Stops the agent's words at once. */
  clear: (now: number, reply: string) => void
  /** What the contact has heard so far of the reply that is playing. */
  readPlayed: (now: number) => { reply: string; parts: SpeechPart[] } | undefined
  press: (now: number, digits: string) => void
  transfer: (now: number, to: string) => void
  hangUp: (now: number) => void
  /** The carrier says that the contact has hung up. `hung_up` follows, after the last words. Lines with sound have it. */
  noteHungUp?: () => void
  /** How long the stages before the first sound of this reply took. Undefined before it sounds. Lines with sound have it. */
  readLatency?: (reply: string) => SoundLatency | undefined
  /** What went wrong with a speech provider since the last question. Another one took over, unless the fault is fatal. */
  takeSpeechFault?: () => { message: string; is_fatal: boolean } | undefined
  /** The state of a simulated line, as plain data. */
  save: () => unknown
}

/**
 * Times of a reply to something that the contact has said.
 * - `wait_ms`: from the end of the contact's voice until its words count as complete.
 * - `recognise_ms`: how long the recogniser took. It is part of the wait, or makes it longer.
 * - `voice_ms`: from the first words of the reply to the first sound that was sent.
 * - `first_sound_ms`: from the end of the contact's voice to the first sound that the other side has played.
 */
export interface SoundLatency {
  wait_ms: number
  recognise_ms: number
  voice_ms: number
  first_sound_ms: number
}

/**
 * - `fact`: a report of the carrier. It may come late, twice, out of order, or never.
 * - `answered`: the line is open, and both sides can hear each other.
 * - `machine`: what has answered, as far as can be told. While it is `uncertain` another one follows. `beep`: a voicemail begins to
 *   record, or waits in silence.
 * - `speech_started`, `heard`, `speech_stopped`: the contact speaks. `heard` has the words of this stretch of speech so far, and
 *   with `part` all of them.
 * - `played`: how much of the agent's reply the contact has heard, before each event that may interrupt it, and at the end.
 * - `play_done`: the contact has heard the whole reply, or the rest of it `is_lost`. `played` comes before.
 * - `transferred`: the end of an attempt to transfer the call.
 * - `hung_up`: the contact has ended the call. `lost`: the line is broken.
 */
export type LineEvent<Fact> = { at: number } & (
  | { type: 'fact'; fact: Fact }
  | { type: 'answered' }
  | { type: 'machine'; kind: Machine | 'uncertain' }
  | { type: 'beep' }
  | { type: 'speech_started' }
  | { type: 'heard'; text: string; part?: SpeechPart }
  | { type: 'speech_stopped' }
  | { type: 'digit'; digit: string }
  | { type: 'played'; reply: string; parts: SpeechPart[] }
  | { type: 'play_done'; reply: string; is_lost?: boolean }
  | { type: 'transferred'; is_ok: boolean }
  | { type: 'hung_up' }
  | { type: 'lost' }
)
