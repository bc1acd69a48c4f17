import { day_ms } from '../kit/clock.ts'
import { instantOf, localDay } from '../kit/time-zone.ts'
import type { Settings } from './schema.ts'

/** How many days are searched. In distant zones the hours may have nothing in common, on any day of the year. */
const search_days = 8

/**
 * Returns the first time from `time` on at which people may be reached in each of the zones. Undefined if there is none
 * in a week. A start that clocks skip is the time at which they do so. If clocks show the start or the end twice, the
 * hours are those that lie within both.
 */
export function nextInQuietHours(
  { start, end }: Settings['quiet_hours'],
  zones: readonly string[],
  time: number,
): number | undefined {
  const hours = { start: timeOfDay(start), end: timeOfDay(end) }
  let next = time
  while (next < time + search_days * day_ms) {
    const latest = zones.reduce((latest, zone) => Math.max(latest, nextIn(hours, zone, latest)), next)
    if (latest === next) return next
    next = latest
  }
  return undefined
}

const timeOfDay = (text: string): number => (Number(text.slice(0, 2)) * 60 + Number(text.slice(3))) * 60_000

/** Returns the next time within the hours of one zone. They begin and end on the same local day. */
function nextIn(hours: { start: number; end: number }, zone: string, time: number): number {
  const yesterday = localDay(zone, time) - 1
  for (let day = yesterday; day < yesterday + search_days; day += 1) {
    const start = instantOf(zone, day * day_ms + hours.start, 'later')
    const end = instantOf(zone, day * day_ms + hours.end, 'earlier')
    if (start < end && time < end) return Math.max(start, time)
  }
  return Number.POSITIVE_INFINITY
}
