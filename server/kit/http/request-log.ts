import * as clock from '../clock.ts'
import type { Log } from '../log.ts'
import type { KeptRequest } from './request.ts'

/** Up to this many requests in a second are all logged. Of those after them, one in `sampled` is. */
const whole_per_second_max = 100
const sampled = 10

type Logged = Pick<KeptRequest, 'id' | 'method' | 'caller'>

export interface Answered {
  /** The pattern of the path, without values. */
  route: string
  status: number
  duration_ms: number
  trace_id?: string | undefined
}

interface RequestLogOptions {
  /** The clock, in milliseconds. Tests set it. */
  ticks?: () => number
  /** Whether a person reads along, who sees requests at the level `debug` only. */
  is_terminal?: boolean
}

/**
 * Returns a function that logs an answered request, without what it contained and without a person or an address.
 * Errors of the server are always logged. A line with `sampled` stands for that many requests.
 */
export function openRequestLog(
  log: Log,
  { ticks = clock.ticks, is_terminal = process.stderr.isTTY === true }: RequestLogOptions = {},
): (request: Logged, answered: Answered) => void {
  const level = is_terminal ? 'debug' : 'info'
  if (!log.isLevelEnabled(level)) return () => {}
  let second_began_at = Number.NEGATIVE_INFINITY
  let count = 0
  let skipped = 0

  /** Returns how many requests the line of the next one stands for. 0 if it gets no line. */
  function weigh(): number {
    const now = ticks()
    if (now - second_began_at >= clock.second_ms) {
      second_began_at = now
      count = 0
    }
    count += 1
    if (count <= whole_per_second_max) return 1
    skipped = (skipped + 1) % sampled
    return skipped === 0 ? sampled : 0
  }

  return ({ id, method, caller }, { route, status, duration_ms, trace_id }) => {
    const weight = status >= 500 ? 1 : weigh()
    if (weight === 0) return
    log[level](
      {
        request_id: id,
        trace_id,
        method,
        route,
        status,
        duration_ms: Math.round(duration_ms * 10) / 10,
        // The id of another caller is a person's or an address.
        key_id: caller?.authenticated_by === 'key' || caller?.authenticated_by === 'command' ? caller.id : undefined,
        workspace: caller?.workspace || undefined,
        sampled: weight > 1 ? weight : undefined,
      },
      'answered',
    )
  }
}
