import { pino } from 'pino'
import pretty from 'pino-pretty'
import * as clock from './clock.ts'

export type Log = pino.Logger

export const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type Level = (typeof levels)[number]

/** While the log can't be written. What comes on top is dropped. */
const unwritten_bytes_max = 1024 * 1024

/** JSON lines on standard error, or a readable form when a person is looking. Standard output is for what was asked for. */
export function openLog(level: Level): Log {
  const fd = process.stderr.fd
  if (process.stderr.isTTY) return pino({ level }, pretty({ destination: fd, sync: true, ignore: 'pid,hostname' }))
  const lines = pino.destination({ fd, sync: true, maxLength: unwritten_bytes_max })
  // A log that can't be written, as on a full disk, must not end the service, and there is nowhere else to report it.
  lines.on('error', () => {})
  return pino({ level }, lines)
}

const rarely_ms = 1_000

/** For what may happen at every request: said once a second at most, with how often it happened since the last time. */
export function rarely<T>(say: (latest: T, count: number) => void): (latest: T) => void {
  let said_at = Number.NEGATIVE_INFINITY
  let count = 0
  return (latest) => {
    count += 1
    if (clock.ticks() - said_at < rarely_ms) return
    say(latest, count)
    said_at = clock.ticks()
    count = 0
  }
}
