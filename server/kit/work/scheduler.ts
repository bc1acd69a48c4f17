import { type At, timeStands } from '../at.ts'
import * as clock from '../clock.ts'

/** The time of work that takes a while. It runs, or stands still as that of a test workspace. */
export interface Scheduler {
  /** Whether time stands still. Work that waits for something then doesn't wait: time moves to when it happens. */
  readonly stands: boolean
  now: () => number
  /** Whether this time has come. Time that stands still moves to it, up to where the clock will be. */
  reach: (time: number) => boolean
  /** Calls back after this long, also while time stands still: for what happens outside, such as an answer of a model. */
  after: (wait_ms: number, run: () => void) => NodeJS.Timeout
}

export interface SchedulerOptions {
  /** Time that stands still may move up to this. */
  horizon?: number | undefined
  /** How fast time runs: with 2, an hour takes half an hour. Tests set it. */
  speed?: number | undefined
}

/** Opens a scheduler that begins at the time of the workspace. */
export function openScheduler(
  at: Pick<At, 'now' | 'is_test'>,
  { horizon, speed = 1 }: SchedulerOptions = {},
): Scheduler {
  return timeStands(at) ? standStill(at.now, horizon ?? at.now) : run(at.now, speed)
}

function run(began: number, speed: number): Scheduler {
  const began_ticks = clock.ticks()
  const now = () => began + Math.round((clock.ticks() - began_ticks) * speed)
  return {
    stands: false,
    now,
    reach: (time) => time <= now(),
    after: (wait_ms, work) => setTimeout(work, wait_ms / speed),
  }
}

function standStill(began: number, horizon: number): Scheduler {
  let now = began
  return {
    stands: true,
    now: () => now,
    reach: (time) => {
      if (time > horizon) return false
      now = Math.max(now, time)
      return true
    },
    after: (wait_ms, work) => setTimeout(work, wait_ms),
  }
}
