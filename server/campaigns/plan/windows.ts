import { day_ms, parse } from '../../kit/clock.ts'
import { setBounded } from '../../kit/limits/bounded-map.ts'
import { instantOf, localDay, localTime, steadyOffset } from '../../kit/time-zone.ts'
import { days, type Window } from '../settings.ts'
import type { DialedCampaign } from './candidate.ts'

/** A time from the start to just before the end. Times of windows count from the begin of a local day. */
interface Opening {
  start: number
  end: number
}

/** The hours in which people can be reached, in their local time. */
export interface Schedule {
  /** Returns the windows that begin on a local day. */
  windowsOn: (day: number) => Opening[]
  is_ever_open: boolean
  /** Whether a holiday may close windows on a day in UTC, in some zone. */
  hasHolidayAround: (utc_day: number) => boolean
  openings: Memo<Opening[]>
  /** The first opening from the begin of a day on. It is Infinity if there is none in the days that are searched. */
  next: Memo<number>
}

/** Results that were computed before, by zones and by day in UTC. */
interface Memo<T> {
  by_zones: Map<string, Map<number, T>>
  weight: number
  weightOf: (value: T) => number
}

export interface Hours {
  quiet_hours: Schedule
  windows: Schedule
  /** The hours when the quiet hours and the windows are both open. */
  both: Schedule
}

export const search_days_max = 400
/** A search takes at most this many steps. A step finds out when one zone is open on one day. */
const search_steps_max = 2_000
const hours_max = 50
/** A schedule remembers this many openings. */
const memo_max = 10_000
const hours_by_settings = new Map<string, Hours>()
const none: Opening[] = []

/** Returns the hours of a campaign. Remembers what was computed for the same settings before. */
export function hoursOf(campaign: Pick<DialedCampaign, 'quiet_hours' | 'windows' | 'holidays'>): Hours {
  const { quiet_hours, windows, holidays } = campaign
  const key = JSON.stringify([quiet_hours, windows, holidays])
  const known = hours_by_settings.get(key)
  if (known) return known
  const every_day = readWindow(quiet_hours)
  const by_weekday = byWeekday(windows)
  const hours = {
    quiet_hours: openScheduleOf(byWeekday([{ days: [...days], ...quiet_hours }]), []),
    windows: openScheduleOf(by_weekday, holidays),
    both: openScheduleOf(
      by_weekday.map((own) => own.flatMap((window) => within(window, every_day))),
      holidays,
    ),
  }
  setBounded(hours_by_settings, key, hours, hours_max)
  return hours
}

/** @internal */
export const openSchedule = (windows: readonly Window[], holidays: readonly string[]): Schedule =>
  openScheduleOf(byWeekday(windows), holidays)

function openScheduleOf(by_weekday: readonly Opening[][], holidays: readonly string[]): Schedule {
  const distinct = by_weekday.map(withoutContained)
  const closed_days = new Set(holidays.map((date) => parse(date) / day_ms))
  return {
    windowsOn: (day) => (closed_days.has(day) ? none : (distinct[weekdayOf(day)] ?? none)),
    is_ever_open: distinct.some((windows) => windows.length > 0),
    hasHolidayAround: (utc_day) => [-2, -1, 0, 1].some((distance) => closed_days.has(utc_day + distance)),
    openings: { by_zones: new Map(), weight: 0, weightOf: ({ length }) => length + 1 },
    next: { by_zones: new Map(), weight: 0, weightOf: () => 1 },
  }
}

const byWeekday = (windows: readonly Window[]): Opening[][] =>
  days.map((day) => windows.filter((window) => window.days.includes(day)).map(readWindow))

/**
 * Returns the parts of a window that are within hours that are the same on every day. Both end on the next day at the
 * latest. Local times can be compared before they become instants, because of two local times the later one is never an
 * earlier instant.
 */
const within = (window: Opening, every_day: Opening): Opening[] =>
  [-day_ms, 0, day_ms].flatMap((shift) =>
    intersect([window], [{ start: every_day.start + shift, end: every_day.end + shift }]),
  )

/**
 * Leaves out windows that lie within another one. Windows that only touch or overlap stay apart: between them clocks
 * may be set back, and then there is a time that is in neither.
 */
function withoutContained(windows: readonly Opening[]): Opening[] {
  const kept: Opening[] = []
  for (const window of windows.toSorted((one, other) => one.start - other.start || other.end - one.end))
    if (window.end > (kept.at(-1)?.end ?? Number.NEGATIVE_INFINITY)) kept.push(window)
  return kept
}

/** Returns the weekday. Monday is 0, and day 0 was a Thursday. */
export const weekdayOf = (day: number): number => (((day + 3) % 7) + 7) % 7

/**
 * Reads a window. One that ends when it starts is the whole day, and one that ends before it starts ends on the next
 * day.
 */
function readWindow({ start, end }: Pick<Window, 'start' | 'end'>): Opening {
  if (start === end) return { start: 0, end: day_ms }
  const from = timeOfDay(start)
  const until = timeOfDay(end)
  return { start: from, end: until < from ? until + day_ms : until }
}

const timeOfDay = (text: string): number => (Number(text.slice(0, 2)) * 60 + Number(text.slice(3))) * 60_000

/** Whether the schedule is open in every one of the zones. */
export function isOpen(schedule: Schedule, zones: readonly string[], time: number): boolean {
  for (const { start, end } of openingsOn(schedule, zones, Math.floor(time / day_ms))) {
    if (start <= time && time < end) return true
  }
  return false
}

/** Returns when the schedule closes, or the day in UTC ends. Returns the time itself if it is closed. */
export function closingAt(schedule: Schedule, zones: readonly string[], time: number): number {
  const openings = openingsOn(schedule, zones, Math.floor(time / day_ms))
  return openings.find(({ start, end }) => start <= time && time < end)?.end ?? time
}

/**
 * Returns the first time from `time` on when the schedule is open in every zone. Returns undefined if there is none
 * within 400 days. If a search takes too many steps, returns the time up to which it is closed: look again then.
 */
export function nextOpening(schedule: Schedule, zones: readonly string[], time: number): number | undefined {
  const utc_day = Math.floor(time / day_ms)
  const today = openingsOn(schedule, zones, utc_day).find(({ end }) => end > time)
  if (today) return Math.max(today.start, time)
  const later = recall(schedule.next, keyOf(zones), utc_day, () => searchFrom(schedule, zones, utc_day + 1))
  return Number.isFinite(later) ? later : undefined
}

/**
 * Searches for an opening from a day on. Days on which clocks show the same as on one that was closed need not be
 * looked at, because a holiday can't open them.
 */
function searchFrom(schedule: Schedule, zones: readonly string[], first: number): number {
  if (!schedule.is_ever_open) return Number.POSITIVE_INFINITY
  const closed_patterns = new Set<string>()
  let steps = 0
  for (let utc_day = first; utc_day < first + search_days_max; utc_day += 1) {
    const clocks = clocksOf(zones, utc_day)
    const pattern = patternOf(clocks, utc_day)
    if (closed_patterns.has(pattern)) continue
    if (steps >= search_steps_max) return utc_day * day_ms
    const [opening] = openingsOf(schedule, clocks, utc_day)
    if (opening) return opening.start
    steps += clocks.length
    if (!schedule.hasHolidayAround(utc_day)) closed_patterns.add(pattern)
  }
  return Number.POSITIVE_INFINITY
}

const keyOf = (zones: readonly string[]): string => (zones.length === 1 ? (zones[0] ?? '') : zones.join(' '))

const openingsOn = (schedule: Schedule, zones: readonly string[], utc_day: number): Opening[] =>
  recall(schedule.openings, keyOf(zones), utc_day, () => openingsOf(schedule, clocksOf(zones, utc_day), utc_day))

const openingsOf = (schedule: Schedule, clocks: readonly Clock[], utc_day: number): Opening[] =>
  openInAll(clocks, ({ key, zone }) =>
    recall(schedule.openings, key, utc_day, () => readOpenings(schedule, zone, utc_day)),
  )

/** The time that clocks show around a day. All zones where they show the same are one. */
interface Clock {
  /** The difference from UTC, or the zone if that changes around the day. */
  key: string
  zone: string
  is_steady: boolean
  local_time: number
}

/**
 * The time around a day that matters: windows of the day before may reach into the day, and those of the day may end on
 * the next one.
 */
const around_ms = 2 * day_ms

/**
 * Groups zones by what their clocks show. Zones that are far apart have the least in common, so they come first: then
 * the others often need not be looked at.
 */
function clocksOf(zones: readonly string[], utc_day: number): Clock[] {
  const from = utc_day * day_ms
  const by_key = new Map<string, Clock>()
  for (const zone of zones) {
    const offset_ms = steadyOffset(zone, from - around_ms, from + day_ms + around_ms)
    const key = offset_ms === undefined ? zone : String(offset_ms)
    const local_time = from + (offset_ms ?? localTime(zone, from) - from)
    if (!by_key.has(key)) by_key.set(key, { key, zone, local_time, is_steady: offset_ms !== undefined })
  }
  const sorted = [...by_key.values()].sort((one, other) => one.local_time - other.local_time)
  return [...sorted.slice(-1), ...sorted.slice(0, -1)]
}

/** Returns the pattern of a day. Days with the same pattern have the same openings, but for holidays. */
const patternOf = (clocks: readonly Clock[], utc_day: number): string =>
  [
    clocks.every(({ is_steady }) => is_steady) ? weekdayOf(utc_day) : `on ${utc_day}`,
    ...clocks.map(({ key }) => key),
  ].join()

function recall<T>(memo: Memo<T>, key: string, utc_day: number, compute: () => T): T {
  const known = memo.by_zones.get(key)?.get(utc_day)
  if (known !== undefined) return known
  const value = compute()
  if (memo.weight >= memo_max) {
    memo.by_zones.clear()
    memo.weight = 0
  }
  const by_day = memo.by_zones.get(key) ?? new Map<number, T>()
  memo.by_zones.set(key, by_day.set(utc_day, value))
  memo.weight += memo.weightOf(value)
  return value
}

/** Reads the openings of a day. Windows belong to the local day on which they start, and may end on the next one. */
function readOpenings({ windowsOn }: Schedule, zone: string, utc_day: number): Opening[] {
  const from = utc_day * day_ms
  const until = from + day_ms
  const found: Opening[] = []
  const last = localDay(zone, until - 1)
  for (let day = localDay(zone, from) - 1; day <= last; day += 1) {
    for (const window of windowsOn(day)) {
      const start = Math.max(from, instantOf(zone, day * day_ms + window.start, 'later'))
      const end = Math.min(until, instantOf(zone, day * day_ms + window.end, 'earlier'))
      if (start < end) found.push({ start, end })
    }
  }
  return merge(found)
}

function merge(openings: Opening[]): Opening[] {
  if (openings.length === 0) return none
  const merged: Opening[] = []
  for (const { start, end } of openings.toSorted((one, other) => one.start - other.start)) {
    const last = merged.at(-1)
    if (last && start <= last.end) last.end = Math.max(last.end, end)
    else merged.push({ start, end })
  }
  return merged
}

/** Returns the openings that all have in common. Stops when nothing is left. */
function openInAll<T>(all: readonly T[], openingsOf: (one: T) => Opening[]): Opening[] {
  let common: Opening[] | undefined
  for (const one of all) {
    const openings = openingsOf(one)
    common = common ? intersect(common, openings) : openings
    if (common.length === 0) return none
  }
  return common ?? none
}

/** Returns the openings that are in both lists. Both are in order, and the openings of each don't overlap. */
function intersect(some: readonly Opening[], others: readonly Opening[]): Opening[] {
  const common: Opening[] = []
  let [index, other_index] = [0, 0]
  for (;;) {
    const [one, other] = [some[index], others[other_index]]
    if (!one || !other) return common
    const [start, end] = [Math.max(one.start, other.start), Math.min(one.end, other.end)]
    if (start < end) common.push({ start, end })
    if (one.end < other.end) index += 1
    else other_index += 1
  }
}
