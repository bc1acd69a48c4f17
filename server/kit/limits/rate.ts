import { ExpiringMap } from './expiring-map.ts'

const keys_max = 10_000

export interface RateLimit {
  /** The value of the RateLimit-Policy header. */
  policy: string
  /** Counts a request of the key. */
  count: (key: string, now: number) => RateLimitStatus
  /** Counts more requests of a key that has made one. Rejects them only if the limit was exceeded before: they may go beyond it. */
  countMore: (key: string, requests: number, now: number) => RateLimitStatus
  /** Returns 0 if the key has requests left in its window, else the seconds until the next window. Counts nothing. */
  waitSeconds: (key: string, now: number) => number
}

interface RateLimitStatus {
  is_exceeded: boolean
  /** The next window begins after this long. */
  wait_seconds: number
  /** The value of the RateLimit header. */
  header: string
}

/**
 * Limits requests per key and window, by default of one second. A key's window starts with its first request. The headers
 * follow the IETF draft: `q` is the quota, `w` the window in seconds, `r` the remaining requests, `t` the seconds until the
 * next window.
 */
export function openRateLimit(per_window_max: number, window_seconds = 1): RateLimit {
  const window_ms = window_seconds * 1_000
  const windows = new ExpiringMap<{ requests: number; until: number }>(window_ms, keys_max)
  const secondsUntil = (until: number, now: number) => Math.ceil((until - now) / 1_000)
  const statusOf = ({ requests, until }: { requests: number; until: number }, now: number): RateLimitStatus => {
    const wait_seconds = secondsUntil(until, now)
    const remaining = Math.max(0, per_window_max - requests)
    return { is_exceeded: requests > per_window_max, wait_seconds, header: `"key";r=${remaining};t=${wait_seconds}` }
  }
  return {
    policy: `"key";q=${per_window_max};w=${window_seconds}`,
    count(key, now) {
      let window = windows.get(key, now)
      if (!window) {
        window = { requests: 0, until: now + window_ms }
        windows.set(key, window, now)
      }
      window.requests += 1
      return statusOf(window, now)
    },
    countMore(key, requests, now) {
      const window = windows.get(key, now) ?? { requests: 0, until: now + window_ms }
      const { is_exceeded } = statusOf(window, now)
      if (!is_exceeded) window.requests += requests
      windows.set(key, window, window.until - window_ms)
      return { ...statusOf(window, now), is_exceeded }
    },
    waitSeconds(key, now) {
      const window = windows.get(key, now)
      return window && window.requests >= per_window_max ? secondsUntil(window.until, now) : 0
    },
  }
}
