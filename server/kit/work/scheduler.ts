import * as clock from '../clock.ts'

/** The time of work that takes a while, and what waits for it. */
export interface Scheduler {
  now: () => number
  /** Calls back after this long, by this scheduler's time. */
  after: (wait_ms: number, run: () => void) => NodeJS.Timeout
}

/** Begins at `now`. With a `speed` of 2, an hour takes half an hour: for tests. */
export function openScheduler(now: number, speed = 1): Scheduler {
  const began_ticks = clock.ticks()
  return {
    now: () => now + Math.round((clock.ticks() - began_ticks) * speed),
    after: (wait_ms, run) => setTimeout(run, wait_ms / speed),
  }
}
