/** Only this file reads the clock. A time is in milliseconds; rows and answers have ISO 8601 text. */

/** Wall time, for what must not stop with a test clock: docs/decisions/0022. All else goes by `at.now`. */
export const wall = (): number => Date.now()

/** Wall time for libraries that want a Date. */
export const wallDate = (): Date => new Date()

export const second_ms = 1000
export const day_ms = 24 * 60 * 60 * second_ms

/** Monotonic milliseconds, for durations only. */
export const ticks = (): number => performance.now()

let last_ms = 0
let last_iso = new Date(last_ms).toISOString()

/** Caches the last result, because many calls have the same millisecond. */
export function iso(time_ms: number): string {
  if (time_ms === last_ms) return last_iso
  last_iso = new Date(time_ms).toISOString()
  last_ms = time_ms
  return last_iso
}

const year_1_ms = -62_135_596_800_000
const year_10000_ms = 253_402_300_800_000
export const time_max_ms = year_10000_ms - 1

/** NaN unless the text is a time in the years 1 to 9999, which ISO 8601 and PostgreSQL write in the same way. */
export function parse(text: string): number {
  const time_ms = Date.parse(text)
  return time_ms >= year_1_ms && time_ms < year_10000_ms ? time_ms : Number.NaN
}

/** Parses a column that may be null. Undefined for null. */
export const parseOptional = (text: string | null): number | undefined => (text === null ? undefined : parse(text))

/** Formats a time for a column that may be null. Null for undefined, and for a time that never comes (Infinity). */
export const isoOptional = (time_ms: number | undefined): string | null =>
  time_ms === undefined || !Number.isFinite(time_ms) ? null : iso(time_ms)

export const floorTo = (time_ms: number, unit_ms: number): number => Math.floor(time_ms / unit_ms) * unit_ms
export const ceilTo = (time_ms: number, unit_ms: number): number => Math.ceil(time_ms / unit_ms) * unit_ms

/** The new `updated_at` of a resource: now, but always later than the last one. */
export const laterThan = (updated_at: string, now: number): string => iso(Math.max(now, parse(updated_at) + 1))

/** Whether the text is a time in the exact format of `iso`. */
export function isIso(text: string): boolean {
  const time_ms = parse(text)
  return !Number.isNaN(time_ms) && iso(time_ms) === text
}
