import { setTimeout as sleep } from 'node:timers/promises'

const interval_ms = 25

/** Polls `check` until it returns a value. Undefined after `limit_ms`. */
export async function waitFor<T>(limit_ms: number, check: () => T | undefined | false): Promise<T | undefined> {
  for (let waited_ms = 0; ; waited_ms += interval_ms) {
    const result = check()
    if (result !== undefined && result !== false) return result
    if (waited_ms >= limit_ms) return undefined
    await sleep(interval_ms)
  }
}
