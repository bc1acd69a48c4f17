import * as clock from '../clock.ts'
import { openConcurrencyLimit } from '../limits/concurrency.ts'
import { isUnavailable } from '../postgres/errors.ts'
import { Problem } from '../problem.ts'

/** Each stream holds a connection. */
export const streams_at_once_max = 2_000
/** Per workspace. */
export const streams_of_one_max = 100
/** Each download holds a piece of a file in memory. */
export const downloads_at_once_max = 100
export const downloads_of_one_max = 4
/** As long as a key is cached. */
const recheck_after_ms = 500

/** Until when an answer that is sent as it is made goes on. */
export interface Stay {
  /** The client has gone, or the service stops. */
  signal: AbortSignal
  /** Whether the client may still hear what comes now. */
  isWelcome: () => Promise<boolean>
}

/** The open streams or downloads, limited in total and per key. They don't count as requests. */
export interface Streams {
  /** Undefined if the limit is reached. Abort the controller when the stream ends. */
  enter: (key: string) => AbortController | undefined
  endAll: () => void
}

export function openStreams(at_once_max: number, of_one_max: number): Streams {
  const places = openConcurrencyLimit(at_once_max, of_one_max)
  const open = new Set<AbortController>()
  return {
    enter(key) {
      if (!places.acquire(key)) return undefined
      const stream = new AbortController()
      open.add(stream)
      stream.signal.addEventListener('abort', () => {
        open.delete(stream)
        places.release(key)
      })
      return stream
    },
    endAll() {
      for (const stream of open) stream.abort()
    },
  }
}

/** Repeats the check at most twice a second. The stream continues while the check is impossible: the database is down or overloaded. */
export function welcome(check: (now: number) => Promise<boolean>): () => Promise<boolean> {
  let checked_at = clock.ticks()
  return async () => {
    if (clock.ticks() - checked_at < recheck_after_ms) return true
    checked_at = clock.ticks()
    try {
      return await check(clock.now())
    } catch (error) {
      if (error instanceof Problem) return error.code === 'SERVICE_UNAVAILABLE'
      if (isUnavailable(error)) return true
      throw error
    }
  }
}
