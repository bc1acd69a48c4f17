import { ExpiringMap } from './expiring-map.ts'

const window_ms = 1_000
const keys_max = 10_000

export interface RateLimit {
  /** The value of the RateLimit-Policy header. */
  policy: string
  /** Counts a request of the key. */
  count: (key: string, now: number) => RateLimitStatus
}

export interface RateLimitStatus {
  is_exceeded: boolean
  /** The value of the RateLimit header. */
  header: string
}

/**
 * Limits requests per second and key. A key's window of one second starts with its first request. The headers follow the
 * IETF draft: `q` is the quota, `w` the window in seconds, `r` the remaining requests, `t` the seconds until the next window.
 */
export function openRateLimit(per_second_max: number): RateLimit {
  const windows = new ExpiringMap<{ requests: number }>(window_ms, keys_max)
  return {
    policy: `"key";q=${per_second_max};w=1`,
    count(key, now) {
      let window = windows.get(key, now)
      if (!window) {
        window = { requests: 0 }
        windows.set(key, window, now)
      }
      window.requests += 1
      const remaining = Math.max(0, per_second_max - window.requests)
      return { is_exceeded: window.requests > per_second_max, header: `"key";r=${remaining};t=1` }
    },
  }
}
