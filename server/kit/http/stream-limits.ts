import * as clock from '../clock.ts'
import { openConcurrencyLimit } from '../limits/concurrency.ts'
import { isUnavailable } from '../postgres/errors.ts'
import { Problem } from '../problem.ts'

/** Open streams of all workspaces. Each holds a connection. */
export const streams_max = 2_000
export const streams_per_workspace_max = 100
/** Each download holds a piece of a file in memory. */
export const downloads_max = 100
export const downloads_per_workspace_max = 4
/** Requests that wait for something to happen. Each holds a connection. */
export const waits_max = 2_000
export const waits_per_workspace_max = 200
/** How often the caller of a stream is checked again. A key is cached for as long. */
const recheck_after_ms = 500

/** Ends a file or stream before it is complete. */
export interface StreamLimits {
  /** Aborted when the client disconnects or the service stops. */
  signal: AbortSignal
  /** Whether the client may still read. */
  mayContinue: () => Promise<boolean>
}

/** The limits of a HEAD request, which reads only the first chunk. */
export const unlimited: StreamLimits = { signal: new AbortController().signal, mayContinue: async () => true }

/** The open streams, downloads or waits, limited in total and per key. They don't count as requests. */
export interface Streams {
  /** Undefined if a limit is reached. Abort the controller when the stream ends. */
  open: (key: string, caller: string) => AbortController | undefined
  endAll: () => void
}

export function openStreams(max: number, per_key_max: number, per_caller_max = per_key_max): Streams {
  const slots = openConcurrencyLimit(max, per_key_max)
  const callers = openConcurrencyLimit(Number.POSITIVE_INFINITY, per_caller_max)
  const all = new Set<AbortController>()
  return {
    open(key, caller) {
      if (!callers.acquire(caller)) return undefined
      if (!slots.acquire(key)) {
        callers.release(caller)
        return undefined
      }
      const stream = new AbortController()
      all.add(stream)
      stream.signal.addEventListener('abort', () => {
        all.delete(stream)
        slots.release(key)
        callers.release(caller)
      })
      return stream
    },
    endAll() {
      for (const stream of all) stream.abort()
    },
  }
}

/** Repeats the check at most twice a second. The stream continues while the check is impossible: the database is down or overloaded. */
export function createContinueCheck(check: (now: number) => Promise<boolean>): () => Promise<boolean> {
  let checked_at = clock.ticks()
  return async () => {
    if (clock.ticks() - checked_at < recheck_after_ms) return true
    checked_at = clock.ticks()
    try {
      return await check(clock.wall())
    } catch (error) {
      if (error instanceof Problem) return error.code === 'SERVICE_UNAVAILABLE'
      if (isUnavailable(error)) return true
      throw error
    }
  }
}
