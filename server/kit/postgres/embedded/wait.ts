import { setTimeout as sleep } from 'node:timers/promises'

const interval_ms = 25

/** Looks again and again until there is something to see; undefined when the time is up. */
export async function waitFor<T>(limit_ms: number, look: () => T | undefined | false): Promise<T | undefined> {
  for (let waited_ms = 0; ; waited_ms += interval_ms) {
    const seen = look()
    if (seen !== undefined && seen !== false) return seen
    if (waited_ms >= limit_ms) return undefined
    await sleep(interval_ms)
  }
}
