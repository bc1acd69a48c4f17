import { pino } from 'pino'
import pretty from 'pino-pretty'

export type Log = pino.Logger

export const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type Level = (typeof levels)[number]

/** JSON lines on standard error, or a readable form when a person is looking. Standard output is for what was asked for. */
export function openLog(level: Level): Log {
  const fd = process.stderr.fd
  if (!process.stderr.isTTY) return pino({ level }, pino.destination({ fd, sync: true }))
  return pino({ level }, pretty({ destination: fd, sync: true, ignore: 'pid,hostname' }))
}
