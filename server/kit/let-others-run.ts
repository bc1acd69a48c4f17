import { setImmediate } from 'node:timers/promises'
import * as clock from './clock.ts'

const run_max_ms = 10
let paused_ticks = 0

/** Work that doesn't wait for anything calls this again and again, so that the process answers requests meanwhile. */
export async function letOthersRun(): Promise<void> {
  if (clock.ticks() - paused_ticks < run_max_ms) return
  await setImmediate()
  paused_ticks = clock.ticks()
}
