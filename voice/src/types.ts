/** The types of /voice.js. The service serves this file as /voice.d.ts. */

/** Where to connect: the `url` and `token` of `POST /calls/web`. */
export interface Place {
  url: string
  token: string
}

export interface ConnectOptions extends Partial<Place> {
  /**
   * Creates the call when the microphone is allowed, instead of `url` and `token`: a token is valid for 60 seconds only, and a
   * person may take longer to answer the browser's question. It has 30 seconds. An error that it throws with a `code` and a `message`
   * becomes the `error` event.
   */
  place?: () => Promise<Place>
  /** Added to the constraints of the microphone, such as `{ deviceId }`. */
  audio?: MediaTrackConstraints
}

/**
 * `connecting`: asks for the microphone and opens the connection. If none comes about, the call ends with an error. `busy`: the
 * service is full, and it is tried again. `live`: both can talk. `reconnecting`: the connection was lost, and it is tried again for
 * up to 60 seconds. `ended`: for good.
 */
export type VoiceState = 'connecting' | 'busy' | 'live' | 'reconnecting' | 'ended'

export interface Words {
  role: 'contact' | 'agent'
  text: string
  /** Words that are not final may still change. */
  is_final: boolean
}

/** What went wrong, with a sentence for the person who calls. */
export interface VoiceError {
  /**
   * `not_supported`, `insecure`, `microphone_refused`, `microphone_missing`, `microphone_busy`, `microphone_lost`,
   * `sound_not_loaded` (the audio worklet), `sound_failed`, `refused`, `busy`, `lost`, `failed`, or the code of an error of the
   * service. The call goes on after `microphone_lost` only.
   */
  code: string
  message: string
}

export interface VoiceEvents {
  state: VoiceState
  words: Words
  /** How loud the microphone is, from 0 to 1. About 16 times a second. */
  level: number
  /** How long the agent took from the end of what the person said to its first sound, in ms. */
  latency: number
  error: VoiceError
}

export interface VoiceCall {
  readonly state: VoiceState
  /** The id of the call. Undefined before the call is live. */
  readonly call_id: string | undefined
  /** The latency of the last answer. Undefined before the first one. */
  readonly latency_ms: number | undefined
  readonly is_muted: boolean
  /** Why it ended: `contact_hung_up` after hangUp, the call's `end_reason`, `lost`, or `error`. Undefined before its end. */
  readonly end_reason: string | undefined
  /** Calls the listener at each event, until the returned function is called. */
  on: <Name extends keyof VoiceEvents>(name: Name, listener: (event: VoiceEvents[Name]) => void) => () => void
  /** Mutes the microphone. The call goes on with silence. */
  mute: () => void
  unmute: () => void
  /** Presses a key of a telephone: 0 to 9, * or #. Does nothing unless the call is live. */
  press: (digit: string) => void
  /** Ends the call, and stops the microphone. */
  hangUp: () => void
}

/**
 * Begins a call. Call it when the person has clicked, because browsers play sound only then. A page has one call at a time: while
 * one has not ended, this throws an error with the `code` `in_call` and a `message`, and that call goes on.
 */
export declare function connect(options: ConnectOptions): VoiceCall

/** Why this browser can't make calls on this page, before anything is asked for. Undefined if it can. */
export declare function findObstacle(): VoiceError | undefined
