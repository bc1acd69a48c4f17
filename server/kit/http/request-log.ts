import * as clock from '../clock.ts'
import type { Log } from '../log.ts'
import type { KeptRequest } from './request.ts'

/** Of further requests in the same second, one in `sampled` is logged. */
const whole_per_second_max = 100
const sampled = 10

type Logged = Pick<KeptRequest, 'id' | 'method' | 'caller'>

export interface Answered {
  /** The pattern, without values. */
  route: string
  status: number
  duration_ms: number
  trace_id?: string | undefined
}

interface RequestLogOptions {
  /** In milliseconds. Tests set it. */
  ticks?: () => number
  /** People who read along see each request at the level `debug` only. */
  is_terminal?: boolean
}

/**
 * Returns what logs a request that was answered: nothing that it contained, and neither a person nor an address. Errors of the
 * server are always logged. A line with `sampled` stands for that many requests.
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

  /** How many requests the line of the next one stands for. None: it has no line. */
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
