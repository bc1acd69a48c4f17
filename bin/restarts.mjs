const pause_min_ms = 500
const pause_max_ms = 30_000
/** After a run this long, the next pause is the shortest one again. */
const stable_ms = 5 * 60_000
const crashes_max = 10
const within_ms = 10 * 60_000

/**
 * Returns a function that gives the pause after a crash: twice the last one, or undefined after too many crashes.
 * `ran_ms` is how long the server ran, `now_ms` a monotonic time.
 */
export function restarts() {
  let crashes = []
  let pause_ms = pause_min_ms
  return (ran_ms, now_ms) => {
    crashes = [...crashes.filter((time_ms) => now_ms - time_ms < within_ms), now_ms]
    if (crashes.length >= crashes_max) return undefined
    const next_ms = ran_ms >= stable_ms ? pause_min_ms : pause_ms
    pause_ms = Math.min(pause_max_ms, next_ms * 2)
    return next_ms
  }
}
