import { setBounded } from './bounded-map.ts'

/** How many requests are left to a name in the current second, and whether this one was too many. */
export interface Allowance {
  is_over: boolean
  header: string
}

interface Window {
  until: number
  used: number
}

const window_ms = 1_000
const names_max = 10_000

export interface Limiter {
  policy: string
  take: (name: string, now: number) => Allowance
}

/** Counts requests by name in windows of a second that begin with the first. */
export function limiter(per_second: number): Limiter {
  const windows = new Map<string, Window>()
  return {
    policy: `"key";q=${per_second};w=1`,
    take(name, now) {
      let window = windows.get(name)
      // Further ahead than a window: the clock was set back.
      if (!window || window.until <= now || window.until > now + window_ms) {
        window = { until: now + window_ms, used: 0 }
        setBounded(windows, name, window, names_max)
      }
      window.used += 1
      return { is_over: window.used > per_second, header: `"key";r=${Math.max(0, per_second - window.used)};t=1` }
    },
  }
}
