import { day_ms } from '../kit/clock.ts'
import { localDay, localTime, startOfDay } from '../kit/time-zone.ts'

export const intervals = ['hour', 'day', 'week'] as const
type Interval = (typeof intervals)[number]

interface Period {
  time_zone: string
  interval: Interval
  from: number
  to: number
}

const hour_ms = 60 * 60_000
/** 1970-01-01 was a Thursday. */
const monday_offset = 3

/** Returns the first instant of each interval from the one with `from` up to `to`, and the end of the last one. */
export function splitPeriod({ time_zone, interval, from, to }: Period): { starts: number[]; end: number } {
  const next = interval === 'hour' ? hoursFrom(time_zone, from) : daysFrom(time_zone, from, interval === 'week' ? 7 : 1)
  const starts: number[] = []
  let start = next()
  while (start < to) {
    starts.push(start)
    start = next()
  }
  return { starts, end: start }
}

/**
 * Returns a function that gives the start of each hour of the local clock. An hour is shorter when the clocks are
 * changed by half an hour.
 */
function hoursFrom(time_zone: string, from: number): () => number {
  const sinceHour = (time: number) => ((localTime(time_zone, time) % hour_ms) + hour_ms) % hour_ms
  let next = from - sinceHour(from)
  return () => {
    const start = next
    next = start + hour_ms - sinceHour(start)
    return start
  }
}

/**
 * Returns a function that gives the start of each day or week. Weeks begin on Mondays. A day has 23 or 25 hours when
 * the clocks are changed.
 */
function daysFrom(time_zone: string, from: number, days: 1 | 7): () => number {
  const first = localDay(time_zone, from)
  let day = first - (days === 7 ? (first + monday_offset) % 7 : 0) - days
  return () => {
    day += days
    return startOfDay(time_zone, day)
  }
}

/**
 * Returns when a period without a start begins: at the start of the last 24 hours, or of the last 30 days, each with
 * the one that goes on.
 */
export function defaultStart({ time_zone, interval, to }: Omit<Period, 'from'>): number {
  const last = to - 1
  return interval === 'hour' ? last - 23 * hour_ms : startOfDay(time_zone, localDay(time_zone, last) - 29)
}

/** A period may be longer by this, because days of 25 hours count as days. */
const change_of_clocks_ms = hour_ms
const days_max = { hour: 7, day: 400, week: 400 }

/** Returns the longest period in days, if this one is longer. */
export const exceededDays = ({ interval, from, to }: Pick<Period, 'interval' | 'from' | 'to'>): number | undefined =>
  to - from > days_max[interval] * day_ms + change_of_clocks_ms ? days_max[interval] : undefined
