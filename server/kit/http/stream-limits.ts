import * as clock from '../clock.ts'
import { openConcurrencyLimit } from '../limits/concurrency.ts'
import { isUnavailable } from '../postgres/errors.ts'
import { Problem } from '../problem.ts'

/** Each is a connection that others can't have. */
export const streams_at_once_max = 2_000
/** Of one workspace. */
export const streams_of_one_max = 100
/** Each holds a piece of a file in memory. */
export const downloads_at_once_max = 100
export const downloads_of_one_max = 4
/** As long as a key is remembered. */
const welcome_ms = 500

/** Until when an answer that is sent as it is made goes on. */
export interface Stay {
  /** The client has gone, or the service stops. */
  signal: AbortSignal
  /** Whether the client may still hear what comes now. */
  isWelcome: () => Promise<boolean>
}

/** The streams, or the downloads, that are under way: limited in all and for each name, apart from other requests. */
export interface Streams {
  /** A place for one of this name, to be aborted when it ends; undefined when there is none. */
  enter: (name: string) => AbortController | undefined
  endAll: () => void
}

export function openStreams(at_once_max: number, of_one_max: number): Streams {
  const places = openConcurrencyLimit(at_once_max, of_one_max)
  const open = new Set<AbortController>()
  return {
    enter(name) {
      if (!places.acquire(name)) return undefined
      const place = new AbortController()
      open.add(place)
      place.signal.addEventListener('abort', () => {
        open.delete(place)
        places.release(name)
      })
      return place
    },
    endAll() {
      for (const place of open) place.abort()
    },
  }
}

/** Asks again when the last time is long ago. Who was let in stays while nobody can know: the database is away or too busy. */
export function welcome(ask: (now: number) => Promise<boolean>): () => Promise<boolean> {
  let asked_at = clock.ticks()
  return async () => {
    if (clock.ticks() - asked_at < welcome_ms) return true
    asked_at = clock.ticks()
    try {
      return await ask(clock.now())
    } catch (error) {
      if (error instanceof Problem) return error.code === 'SERVICE_UNAVAILABLE'
      if (isUnavailable(error)) return true
      throw error
    }
  }
}
