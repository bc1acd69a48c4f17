import { createRequire } from 'node:module'
import { pino } from 'pino'
import * as clock from './clock.ts'

export type Log = pino.Logger

export const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type Level = (typeof levels)[number]

/** While the log can't be written, lines beyond this are dropped. */
const unwritten_bytes_max = 1024 * 1024

/**
 * Logs JSON lines to standard error, or a readable format to a terminal. Standard output is for the results of commands. Each
 * line has the `process`, if it is one of several.
 */
export function openLog(level: Level, process_number?: number): Log {
  const log = open(level)
  return process_number === undefined ? log : log.child({ process: process_number })
}

function open(level: Level): Log {
  const fd = process.stderr.fd
  if (process.stderr.isTTY) {
    // Loaded only here, so that other processes start sooner.
    const pretty: typeof import('pino-pretty') = createRequire(import.meta.url)('pino-pretty')
    const messageFormat = '{if process}process {process}: {end}{msg}'
    return pino({ level }, pretty({ destination: fd, sync: true, ignore: 'pid,hostname,process', messageFormat }))
  }
  const lines = pino.destination({ fd, sync: true, maxLength: unwritten_bytes_max })
  // A failed write, for example on a full disk, must not end the service.
  lines.on('error', () => {})
  return pino({ level }, lines)
}

const interval_ms = 1_000

/** Limits a log line that could come with every request to one per second. `count` includes the suppressed calls. */
export function oncePerSecond<T>(log: (latest: T, count: number) => void): (latest: T) => void {
  let logged_at = Number.NEGATIVE_INFINITY
  let count = 0
  return (latest) => {
    count += 1
    if (clock.ticks() - logged_at < interval_ms) return
    log(latest, count)
    logged_at = clock.ticks()
    count = 0
  }
}
