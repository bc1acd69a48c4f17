import { setTimeout as sleep } from 'node:timers/promises'
import * as clock from '../clock.ts'
import { isUnavailable } from './errors.ts'

const give_up_after_ms = 60_000
const again_after_ms = 500

/** Repeats what can be repeated while the database is restarted, out of reach or too busy. Gives up after a minute. */
export async function untilAvailable<T>(run: () => Promise<T>): Promise<T> {
  const until = clock.ticks() + give_up_after_ms
  for (;;) {
    try {
      return await run()
    } catch (error) {
      if (!isUnavailable(error) || clock.ticks() > until) throw error
      await sleep(again_after_ms)
    }
  }
}
