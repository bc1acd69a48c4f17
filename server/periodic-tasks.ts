import * as short_search from './contacts/short-search-totals.ts'
import { assignPositions } from './events/positions.ts'
import type { Service } from './kit/at.ts'
import type { Log } from './kit/log.ts'
import * as retention from './retention.ts'

const second_ms = 1_000
const minute_ms = 60_000
const hour_ms = 60 * minute_ms

export interface PeriodicOptions {
  service: Service
  /** Stores when each API key was last used. */
  recordKeyUses: () => Promise<void>
  events_keep_days: number
  isStopping: () => boolean
  log: Log
}

/** Starts every task now and repeats it at its interval. Returns a function that stops the repetition. */
export function startPeriodicTasks(options: PeriodicOptions): () => void {
  const { service, recordKeyUses, isStopping, log } = options
  const db = service.pool
  const timers = [
    every(5 * second_ms, recordKeyUses, log),
    every(hour_ms, () => retention.removeExpired(options), log),
    every(minute_ms, () => retention.tidyDeliveries(options), log),
    every(minute_ms, () => short_search.startInLargeWorkspaces({ db }), log),
    every(2 * second_ms, () => short_search.applyAllChanges({ db }), log),
    every(second_ms, () => assignPositions({ db }, isStopping), log),
  ]
  return () => {
    for (const timer of timers) clearInterval(timer)
  }
}

/** Skips a run while the last one is still running. A failed run is logged; the next one tries again. */
function every(interval_ms: number, task: () => Promise<void>, log: Log): NodeJS.Timeout {
  let is_running = false
  const run = async () => {
    if (is_running) return
    is_running = true
    try {
      await task()
    } catch (error) {
      log.warn({ err: error }, 'background work failed')
    }
    is_running = false
  }
  void run()
  return setInterval(() => void run(), interval_ms).unref()
}
