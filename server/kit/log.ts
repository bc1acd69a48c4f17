import { createRequire } from 'node:module'
import { type LoggerOptions, pino } from 'pino'
import * as clock from './clock.ts'
import { currentSpan } from './traces/span.ts'

export type Log = pino.Logger

export const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type Level = (typeof levels)[number]

/** While the log can't be written, lines beyond this are dropped. */
const unwritten_bytes_max = 1024 * 1024

interface LogOptions {
  /** Set if the process is one of several: each line then has its number. */
  process_number?: number | undefined
  /** Whether each line names its trace. */
  has_traces?: boolean
}

/** Logs JSON lines to standard error, or a readable format to a terminal. Standard output is for the results of commands. */
export function openLog(level: Level, { process_number, has_traces = false }: LogOptions = {}): Log {
  const log = open({ level, ...(has_traces && { mixin: nameTrace }) })
  return process_number === undefined ? log : log.child({ process: process_number })
}

function open(options: LoggerOptions): Log {
  const fd = process.stderr.fd
  if (process.stderr.isTTY) {
    // Loaded only here, so that other processes start sooner.
    const pretty: typeof import('pino-pretty') = createRequire(import.meta.url)('pino-pretty')
    const messageFormat = '{if process}process {process}: {end}{msg}'
    return pino(options, pretty({ destination: fd, sync: true, ignore: 'pid,hostname,process', messageFormat }))
  }
  const lines = pino.destination({ fd, sync: true, maxLength: unwritten_bytes_max })
  // A failed write, for example on a full disk, must not end the service.
  lines.on('error', () => {})
  return pino(options, lines)
}

/** A line that is written for a request or an item of work has the id of its trace. @internal */
export function nameTrace(): object {
  const span = currentSpan()
  return span ? { trace_id: span.trace_id } : {}
}

/** Limits a log line that could come with every request to one per second. `count` includes the suppressed calls. */
export const oncePerSecond = <T>(log: (latest: T, count: number) => void) => oncePer(clock.second_ms, log)

export const oncePerMinute = <T>(log: (latest: T, count: number) => void) => oncePer(60 * clock.second_ms, log)

function oncePer<T>(interval_ms: number, log: (latest: T, count: number) => void): (latest: T) => void {
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
