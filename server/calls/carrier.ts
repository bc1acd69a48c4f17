import type { Configuration } from '../agents/configuration.ts'
import type { StoredChannel } from '../channels/store.ts'
import { type At, type AtOutside, newTool, newToolOutside } from '../kit/at.ts'
import type { Blob } from '../kit/blobs/blobs.ts'
import type { Listening, Speaking } from '../models/speech.ts'
import type { Line, LineEvent } from '../talk/line.ts'
import type { SpeechPart } from '../talk/state.ts'
import type { Fact, Final, Verdict } from './facts.ts'
import type { EndReason } from './schema.ts'

/** A telephone rings this long. */
export const ring_seconds = 30

/** A service that places calls. The simulator is the first one. */
export interface Carrier {
  /** Dials the number. What then happens is read from the line. */
  dial: (at: AtOutside, call: CallToDial) => Promise<CallLine>
  /** Continues a call of a test workspace between two advances of the clock. `state` is what the line's `save` returned. */
  reopen: (at: At, state: unknown) => CallLine
  /** How many times faster than real time calls of live workspaces happen. Tests set it. */
  speed?: number
  /** What the carrier knows at `now` of a call whose process was killed, or from which nothing is heard. */
  find: (at: AtOutside, call: CallToDial, now: number) => Promise<Fact[]>
}

/** A service that calls telephones. It reports what happens there, and the talk begins when it opens a stream. */
export interface Dialer {
  dial: (at: AtOutside, call: PhoneCall) => Promise<DialResult>
  /** The calls that may be this one. Fails with an OutboundError if the carrier can't say. */
  find: (at: AtOutside, call: PhoneCall, now: number) => Promise<FoundCall[]>
  /** Ends a call that rings, or was answered. A call that is over stays so. Fails with an OutboundError. */
  end: (at: AtOutside, call: Pick<PhoneCall, 'channel'> & { carrier_id: string }) => Promise<void>
}

export interface PhoneCall {
  id: string
  channel: StoredChannel
  to: string
  /** Null if the carrier's answer was lost. */
  carrier_id: string | null
  /** When the number was dialled. */
  started_at: number
  /** Whether a message is left on a voicemail, so that the end of its greeting matters. */
  leaves_message: boolean
}

export type DialResult =
  | { type: 'accepted'; carrier_id: string }
  | { type: 'refused'; final: Final; error: string; is_account_refused: boolean }
  /** The number was certainly not dialled. */
  | { type: 'not_sent'; error: string; is_account_refused: boolean; may_retry: boolean }
  /** The telephone may ring. */
  | { type: 'unknown' }

export interface FoundCall {
  carrier_id: string
  /** The carrier has not dialled yet, because it has more calls than it may begin. */
  is_queued: boolean
  facts: Fact[]
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

export interface CallLine extends Line<Fact> {
  /** Ms of sound recognised and spoken so far. Lines with sound have it. */
  readonly speech_ms?: number
  /** Tells the line who has answered, as the carrier has found out. */
  takeVerdict?: (verdict: Verdict) => void
  close?: () => Promise<void>
}

/** The other side of a call on a real line. The process that has it drives the call. */
export interface Connection {
  /** Undefined if the agent can neither hear nor speak. */
  open: ((opening: Opening) => CallLine) | undefined
  /**
   * What the carrier has done at the agent's wish since the last connection, so that nobody was cut off. `transfer`
   * means that the transfer has failed.
   */
  readonly after?: 'digits' | 'transfer' | undefined
  /** Whether speech is heard or made by providers, which charge for it. */
  readonly has_speech_providers: boolean
  /** If this process is killed, the call ends at this time unless someone comes back. */
  readonly ends_at: number
  /** Tells the other side that the call has ended. It is called once, before the end is written. */
  onEnd: (end_reason: EndReason) => void
  /** Ends hearing and speaking here, also if the call goes on in another process. It can be called again. */
  close: () => void
}

interface Opening {
  /** The time of the workspace. */
  now: () => number
  /** When the call was answered. Undefined if it is answered now. */
  answered_at: number | undefined
  /** Whether another process, or another connection, has begun to talk. */
  is_resumed: boolean
  recording: Recording | undefined
}

/** Takes the parts of a recording while the call goes on. */
export interface Recording {
  /** When the call was answered: parts begin after this. */
  began_at: number
  /** When this process has taken over the call, if another one has begun it. */
  continues_at: number | undefined
  keep: (part: { start_ms: number; bytes: Uint8Array }) => void
  /**
   * Tells that the contact knows of the recording. Before, parts are held in memory, and they are dropped if the
   * contact never knows.
   */
  allow: () => void
  /**
   * Is called when the call is over here. Resolves when all that was kept is stored, or never will be. Never rejects.
   */
  stored: () => Promise<void>
}

export type CallLineEvent = LineEvent<Fact>

/** Makes the audio of simulated calls. */
export interface Renderer {
  /** Passes the audio to `store`. While a call is rendered, others who want it wait for the same work. */
  render: (audio: AudioToRender, store: Store) => Promise<void>
}

export type Store = (wav: Blob) => Promise<void>

export const renderer = newTool<Renderer>()

export interface AudioToRender {
  workspace: string
  /** The id of the call. */
  id: string
  duration_ms: number
  contact: Track
  agent: Track
}

interface Track {
  /** Null: the default. */
  voice: string | null
  parts: SpeechPart[]
}

/** Fails as `find` of `audio/sound.ts` does, which it calls. */
type FindSpeech = (at: AtOutside, configuration: Configuration) => Promise<{ listen: Listening; speak: Speaking }>

/** Finds what calls with an agent hear and speak with in this process. */
export const speechFinder = newToolOutside<FindSpeech>()
