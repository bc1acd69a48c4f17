/** Runs functions later. Tests have a time of their own. */
export interface Timers {
  /** Returns what cancels it. */
  after: (wait_ms: number, run: () => void) => () => void
}

/** Timers by the process's clock. They keep no process alive. */
export const real_timers: Timers = {
  after(wait_ms, run) {
    const timer = setTimeout(run, wait_ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}
