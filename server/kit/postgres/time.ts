import * as clock from '../clock.ts'

/** The error of a measurement grows by this share of its age, because clocks don't run equally fast. */
const drift = 0.01
const recent_ms = 3_000

/** The database's time, which all processes share: their own clocks may differ. It goes by measurements and monotonic time. */
export interface DatabaseTime {
  now: () => number
  /** Whether the time was measured a short time ago. */
  isRecent: () => boolean
  /** `ask` returns the database's time. */
  measure: (ask: () => Promise<string>) => Promise<void>
}

interface Measurement {
  time: number
  ticks: number
  /** The time is wrong by at most this much. */
  error_ms: number
}

/** Opens a clock that shows wall time until the first measurement. */
export function openDatabaseTime(): DatabaseTime {
  let last: Measurement | undefined
  /**
   * Whether a measurement is better than the last one is at its age. After a long wait it is not known when the
   * database has answered.
   */
  const isBetter = ({ ticks, error_ms }: Measurement) =>
    last === undefined || error_ms <= last.error_ms + drift * (ticks - last.ticks)
  return {
    now: () => (last ? Math.round(last.time + clock.ticks() - last.ticks) : clock.wall()),
    isRecent: () => last !== undefined && clock.ticks() - last.ticks < recent_ms,
    async measure(ask) {
      const asked_ticks = clock.ticks()
      const time = clock.parse(await ask())
      const error_ms = (clock.ticks() - asked_ticks) / 2
      const measured = { time, ticks: asked_ticks + error_ms, error_ms }
      if (isBetter(measured)) last = measured
    },
  }
}
