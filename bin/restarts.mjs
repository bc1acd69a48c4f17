const pause_min_ms = 500
const pause_max_ms = 30_000
/** A server that ran this long starts again after the shortest pause. */
const calm_ms = 5 * 60_000
const crashes_max = 10
const within_ms = 10 * 60_000

/**
 * Decides after each crash how long to wait before the next start: twice as long each time. Gives undefined when the
 * limit of crashes is reached. `ran_ms` is how long the server ran, `now_ms` a monotonic time.
 */
export function restarts() {
  let crashes = []
  let pause_ms = pause_min_ms
  return (ran_ms, now_ms) => {
    crashes = [...crashes.filter((time_ms) => now_ms - time_ms < within_ms), now_ms]
    if (crashes.length >= crashes_max) return undefined
    const next_ms = ran_ms >= calm_ms ? pause_min_ms : pause_ms
    pause_ms = Math.min(pause_max_ms, next_ms * 2)
    return next_ms
  }
}
