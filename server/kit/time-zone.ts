import { day_ms, iso } from './clock.ts'
import { setBounded } from './limits/bounded-map.ts'

/** Names seen before. There are about 600. */
const names = new Set<string>()

/** Whether this is a name in the IANA database, in its exact spelling. An offset such as `+01:00` is not a name. */
export function isTimeZone(name: string): boolean {
  if (names.has(name)) return true
  if (!/^[A-Z]/.test(name) || !hasSpelling(name)) return false
  names.add(name)
  return true
}

function hasSpelling(name: string): boolean {
  try {
    return new Temporal.ZonedDateTime(0n, name).timeZoneId === name
  } catch {
    return false
  }
}

/** A time for which the clocks of a zone are not changed. */
interface Period {
  start: number
  end: number
  offset_ms: number
}

const span_ms = 366 * day_ms
/** Clocks differ from UTC by less than a day, and windows are searched for on neighboring days. */
const margin_ms = 3 * day_ms
const zones_max = 1_000
const spans_per_zone_max = 20
/** `Temporal` takes about 10 µs for a conversion. With the changes of a year at hand it is simple arithmetic. */
const spans_by_zone = new Map<string, Map<number, Period[]>>()

/** The number of the local day since 1970-01-01. */
export const localDay = (zone: string, time: number): number => Math.floor(localTime(zone, time) / day_ms)

/** Returns what clocks in the zone show, as the time at which clocks in UTC show the same. */
export function localTime(zone: string, time: number): number {
  const period = periodsAround(zone, time).find(({ end }) => time < end)
  return time + (period?.offset_ms ?? 0)
}

/** ISO 8601 with the offset of the zone, such as `2026-11-17T20:00:00-05:00`. */
export const localIso = (zone: string, time: number): string =>
  `${iso(localTime(zone, time)).slice(0, 19)}${offsetOf(zone, time)}`

/** Formats the offset of the zone, such as `-05:00`. */
export function offsetOf(zone: string, time: number): string {
  const minutes = Math.round((localTime(zone, time) - time) / 60_000)
  const [hour, minute] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `${minutes < 0 ? '-' : '+'}${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`
}

/** Whether clocks in both zones show the same in the year around the time. */
export function showSameTime(zone: string, other: string, time: number): boolean {
  const periods = periodsAround(other, time)
  return periodsAround(zone, time).every(({ end, offset_ms }, index) => {
    const period = periods[index]
    return period?.end === end && period.offset_ms === offset_ms
  })
}

/** How far clocks are ahead of UTC. Undefined if they are changed in this time, or that is not known. */
export function steadyOffset(zone: string, from: number, until: number): number | undefined {
  const period = periodsAround(zone, from).find(({ end }) => from < end)
  return period && period.start <= from && until <= period.end ? period.offset_ms : undefined
}

/** The first instant of a local day. */
export const startOfDay = (zone: string, day: number): number => instantOf(zone, day * day_ms, 'earlier')

/**
 * Returns when clocks in the zone show this. If they show it twice, it is the earlier or the later time. If they skip
 * it, it is the time at which they do so.
 */
export function instantOf(zone: string, local_time: number, which: 'earlier' | 'later'): number {
  let found: number | undefined
  for (const { start, end, offset_ms } of periodsAround(zone, local_time)) {
    const time = local_time - offset_ms
    if (time >= end) continue
    if (time < start) return found ?? start
    if (which === 'earlier') return time
    found = time
  }
  return found ?? local_time
}

function periodsAround(zone: string, time: number): Period[] {
  const index = Math.floor(time / span_ms)
  const known = spans_by_zone.get(zone)?.get(index)
  if (known) return known
  const periods = readPeriods(zone, index * span_ms - margin_ms, (index + 1) * span_ms + margin_ms)
  const spans = spans_by_zone.get(zone) ?? new Map<number, Period[]>()
  setBounded(spans, index, periods, spans_per_zone_max)
  setBounded(spans_by_zone, zone, spans, zones_max)
  return periods
}

function readPeriods(zone: string, from: number, until: number): Period[] {
  const periods: Period[] = []
  let start = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(zone)
  while (start.epochMilliseconds < until) {
    const change = start.getTimeZoneTransition('next')
    const end = Math.min(change?.epochMilliseconds ?? until, until)
    periods.push({ start: start.epochMilliseconds, end, offset_ms: start.offsetNanoseconds / 1_000_000 })
    if (!change) break
    start = change
  }
  return periods
}
