import { day_ms, parse } from '../kit/clock.ts'
import { setBounded } from '../kit/limits/bounded-map.ts'
import { instantOf, localDay, localTime } from '../kit/time-zone.ts'
import type { DialedCampaign } from './candidate.ts'
import { days, type Window } from './settings.ts'

/** From the start to just before the end. */
interface Opening {
  start: number
  end: number
}

/** When people can be reached, in their local time. */
export interface Schedule {
  /** When it is open in a zone on a day in UTC, in order. */
  openingsIn(zone: string, utc_day: number): Opening[]
  openings: Memo<Opening[]>
  /** The first opening from the begin of a day on. Infinity if there is none in the days that are searched. */
  next: Memo<number>
}

/** What was computed before, by zones and by day in UTC. */
interface Memo<T> {
  by_zones: Map<string, Map<number, T>>
  count: number
}

export interface Hours {
  quiet_hours: Schedule
  windows: Schedule
  /** Open when both are. */
  both: Schedule
}

export const search_days_max = 400
const hours_max = 50
const memo_max = 20_000
const hours_by_settings = new Map<string, Hours>()
const none: Opening[] = []

/** Remembers what was computed for the same settings before. */
export function hoursOf(campaign: Pick<DialedCampaign, 'quiet_hours' | 'windows' | 'holidays'>): Hours {
  const key = JSON.stringify([campaign.quiet_hours, campaign.windows, campaign.holidays])
  const known = hours_by_settings.get(key)
  if (known) return known
  const quiet_hours = openSchedule([{ days: [...days], ...campaign.quiet_hours }], [])
  const windows = openSchedule(campaign.windows, campaign.holidays)
  const both = withMemo((zone, utc_day) => openInAll([quiet_hours, windows], (one) => openingsOn(one, [zone], utc_day)))
  const hours = { quiet_hours, windows, both }
  setBounded(hours_by_settings, key, hours, hours_max)
  return hours
}

export function openSchedule(windows: readonly Window[], holidays: readonly string[]): Schedule {
  const by_weekday = days.map((day) => windows.filter((window) => window.days.includes(day)).map(readWindow))
  const closed_days = new Set(holidays.map((date) => parse(date) / day_ms))
  const windowsOf = (day: number) => (closed_days.has(day) ? none : (by_weekday[weekdayOf(day)] ?? none))
  return withMemo((zone, utc_day) => readOpenings(windowsOf, zone, utc_day))
}

const withMemo = (openingsIn: Schedule['openingsIn']): Schedule => ({
  openingsIn,
  openings: { by_zones: new Map(), count: 0 },
  next: { by_zones: new Map(), count: 0 },
})

/** From 0 for Monday. Day 0 was a Thursday. */
export const weekdayOf = (day: number): number => (((day + 3) % 7) + 7) % 7

/** A window that ends when it starts is the whole day. One that ends before it starts ends on the next day. */
function readWindow({ start, end }: Window): Opening {
  if (start === end) return { start: 0, end: day_ms }
  const from = timeOfDay(start)
  const until = timeOfDay(end)
  return { start: from, end: until < from ? until + day_ms : until }
}

const timeOfDay = (text: string): number => (Number(text.slice(0, 2)) * 60 + Number(text.slice(3))) * 60_000

/** Whether it is open in every one of the zones. */
export function isOpen(schedule: Schedule, zones: readonly string[], time: number): boolean {
  for (const { start, end } of openingsOn(schedule, zones, Math.floor(time / day_ms))) {
    if (start <= time && time < end) return true
  }
  return false
}

/** When it closes, or the day in UTC ends. The time itself if it is closed. */
export function closingAt(schedule: Schedule, zones: readonly string[], time: number): number {
  const openings = openingsOn(schedule, zones, Math.floor(time / day_ms))
  return openings.find(({ start, end }) => start <= time && time < end)?.end ?? time
}

/** The first time from `time` on when it is open in every zone. Undefined if there is none within 400 days. */
export function nextOpening(schedule: Schedule, zones: readonly string[], time: number): number | undefined {
  const utc_day = Math.floor(time / day_ms)
  const today = openingsOn(schedule, zones, utc_day).find(({ end }) => end > time)
  if (today) return Math.max(today.start, time)
  const later = recall(schedule.next, keyOf(zones), utc_day, () => searchFrom(schedule, zones, utc_day + 1))
  return Number.isFinite(later) ? later : undefined
}

function searchFrom(schedule: Schedule, zones: readonly string[], first: number): number {
  const key = keyOf(zones)
  for (let utc_day = first; utc_day < first + search_days_max; utc_day += 1) {
    const [opening] = openingsOn(schedule, zones, utc_day, key)
    if (opening) return opening.start
  }
  return Number.POSITIVE_INFINITY
}

const keyOf = (zones: readonly string[]): string => (zones.length === 1 ? (zones[0] ?? '') : zones.join(' '))

const openingsOn = (schedule: Schedule, zones: readonly string[], utc_day: number, key = keyOf(zones)): Opening[] =>
  recall(schedule.openings, key, utc_day, () =>
    zones.length === 1
      ? schedule.openingsIn(key, utc_day)
      : openInAll(farthestFirst(zones, utc_day * day_ms), (zone) => openingsOn(schedule, [zone], utc_day)),
  )

/** Zones that are far apart have the least in common, so that the others often need not be looked at. */
function farthestFirst(zones: readonly string[], time: number): string[] {
  const by_time = zones.map((zone) => ({ zone, local_time: localTime(zone, time) }))
  by_time.sort((one, other) => one.local_time - other.local_time)
  const sorted = by_time.map(({ zone }) => zone)
  return [...sorted.slice(-1), ...sorted.slice(0, -1)]
}

function recall<T>(memo: Memo<T>, key: string, utc_day: number, compute: () => T): T {
  const known = memo.by_zones.get(key)?.get(utc_day)
  if (known !== undefined) return known
  const value = compute()
  if (memo.count >= memo_max) {
    memo.by_zones.clear()
    memo.count = 0
  }
  const by_day = memo.by_zones.get(key) ?? new Map<number, T>()
  memo.by_zones.set(key, by_day.set(utc_day, value))
  memo.count += 1
  return value
}

/** Windows belong to the local day on which they start, and may end on the next one. */
function readOpenings(windowsOf: (day: number) => Opening[], zone: string, utc_day: number): Opening[] {
  const from = utc_day * day_ms
  const until = from + day_ms
  const found: Opening[] = []
  const last = localDay(zone, until - 1)
  for (let day = localDay(zone, from) - 1; day <= last; day += 1) {
    for (const window of windowsOf(day)) {
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
  for (const { start, end } of openings.sort((one, other) => one.start - other.start)) {
    const last = merged.at(-1)
    if (last && start <= last.end) last.end = Math.max(last.end, end)
    else merged.push({ start, end })
  }
  return merged
}

/** What all have in common. Stops when nothing is left. */
function openInAll<T>(all: readonly T[], openingsOf: (one: T) => Opening[]): Opening[] {
  let common: Opening[] | undefined
  for (const one of all) {
    const openings = openingsOf(one)
    common = common ? intersect(common, openings) : openings
    if (common.length === 0) return none
  }
  return common ?? none
}

function intersect(some: Opening[], others: Opening[]): Opening[] {
  return some.flatMap((one) =>
    others
      .map((other) => ({ start: Math.max(one.start, other.start), end: Math.min(one.end, other.end) }))
      .filter(({ start, end }) => start < end),
  )
}
