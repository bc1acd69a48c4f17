import type { RawData } from 'ws'

/** The messages between clients and the service, beside the sound: see "Voice in the browser" in the guide. */

export type FromClient =
  | { type: 'start'; token: string; sample_rate: 8_000 | 16_000 }
  /** How much was played since `ready`, and how many `clear` had come by then. Some clients don't count these. */
  | { type: 'played'; ms: number; clears?: number }
  | { type: 'digit'; digit: string }
  | { type: 'end' }

export type FromService =
  | { type: 'ready'; call_id: string; token: string }
  | { type: 'clear' }
  | { type: 'words'; role: 'contact' | 'agent'; text: string; is_final: boolean }
  | { type: 'ended'; end_reason: string }
  | { type: 'error'; code: string; message: string }

/** Codes with which the service closes a socket. */
export const close_codes = {
  over: 1_000,
  /** The client has come back with another socket. */
  replaced: 1_000,
  invalid: 1_008,
  failed: 1_011,
  /** The client may try again. */
  busy: 1_013,
  /** The token is unknown, late or used, or belongs to another origin. */
  refused: 4_401,
}

const frame_ms = 20

export const frameBytes = (sample_rate: number): number => (2 * frame_ms * sample_rate) / 1_000

/** Returns undefined for data that is no message. */
export function parseMessage(data: RawData): FromClient | undefined {
  const message = parseObject(data)
  switch (message?.type) {
    case 'start':
      return typeof message.token === 'string' && (message.sample_rate === 8_000 || message.sample_rate === 16_000)
        ? { type: 'start', token: message.token, sample_rate: message.sample_rate }
        : undefined
    case 'played':
      return isCount(message.ms) && (message.clears === undefined || isCount(message.clears))
        ? { type: 'played', ms: message.ms, ...(message.clears !== undefined && { clears: message.clears }) }
        : undefined
    case 'digit':
      return typeof message.digit === 'string' ? { type: 'digit', digit: message.digit } : undefined
    case 'end':
      return { type: 'end' }
    default:
      return undefined
  }
}

/** The number must be finite, because JSON such as 1e999 is read as infinite. */
const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0

function parseObject(data: RawData): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(data.toString())
    // The cast is true because an object has members by name.
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
