import * as clock from '../clock.ts'

/** How much a measurement loses with its age: clocks don't run equally fast. */
const drift = 0.01
const recent_ms = 3_000

/** The database's time, which all processes share: their own clocks may differ. It goes by measurements and monotonic time. */
export interface DatabaseTime {
  now: () => number
  /** Whether it was measured a short time ago. */
  isRecent: () => boolean
  /** `ask` returns the database's time. */
  measure: (ask: () => Promise<string>) => Promise<void>
}

interface Measurement {
  time: number
  ticks: number
  /** It is at most this wrong. */
  error_ms: number
}

/** Wall time until the first measurement. */
export function openDatabaseTime(): DatabaseTime {
  let last: Measurement | undefined
  /** After a long wait it is not known when the database has answered. */
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
