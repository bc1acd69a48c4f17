import type { RawData } from 'ws'
import { isObject, membersOf } from '../../kit/json.ts'

/** The messages between Twilio and the service over a stream. */

export type FromTwilio =
  | { event: 'connected' }
  | { event: 'start'; sid: string; token: string; after: string | undefined }
  | { event: 'media'; media: Media }
  | { event: 'mark'; name: string }
  | { event: 'dtmf'; digit: string }
  | { event: 'stop' }
  /** Any other event: Twilio may add some. */
  | { event: 'other' }

interface Media {
  /** The sound, as μ-law at 8 kHz. */
  bytes: Buffer
  /** Milliseconds since the stream began. */
  timestamp: number | undefined
}

export type ToTwilio = { streamSid: string } & (
  | { event: 'media'; media: { payload: string } }
  | { event: 'mark'; mark: { name: string } }
  | { event: 'clear' }
)

/** Codes with which the service closes a stream. Twilio then asks what is next. */
export const closing = {
  over: 1_000,
  invalid: 1_008,
  failed: 1_011,
  busy: 1_013,
  /** The token is unknown, late or used, or the call is over. */
  refused: 4_401,
}

const known_digits = /^[0-9*#]$/

/** Returns undefined for data that is no message. */
export function parseMessage(data: RawData): FromTwilio | undefined {
  const message = parseObject(data.toString())
  if (typeof message?.event !== 'string') return undefined
  const { event } = message
  const own = membersOf(message[event])
  switch (event) {
    case 'start': {
      const { token, after } = membersOf(own.customParameters)
      const [sid, given] = [textOf(own.streamSid), textOf(token)]
      return sid === undefined || given === undefined ? undefined : { event, sid, token: given, after: textOf(after) }
    }
    case 'media': {
      const payload = textOf(own.payload)
      // Twilio writes numbers as text.
      const timestamp = /^\d{1,9}$/.test(String(own.timestamp)) ? Number(own.timestamp) : undefined
      return payload === undefined ? undefined : { event, media: { bytes: Buffer.from(payload, 'base64'), timestamp } }
    }
    case 'mark': {
      const name = textOf(own.name)
      return name === undefined ? undefined : { event, name }
    }
    case 'dtmf': {
      const digit = textOf(own.digit) ?? ''
      return known_digits.test(digit) ? { event, digit } : { event: 'other' }
    }
    case 'connected':
    case 'stop':
      return { event }
    default:
      return { event: 'other' }
  }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
