import type { Campaign } from '../../../server/campaigns/schema.ts'

export type Window = Campaign['windows'][number]
export type Day = Window['days'][number]

/** A range of hours. An end at or before the start is on the next day. */
export interface Hours {
  start: string
  end: string
}

export type Week = Record<Day, Hours[]>

export const day_names: Record<Day, string> = {
  mon: 'Monday',
  tue: 'Tuesday',
  wed: 'Wednesday',
  thu: 'Thursday',
  fri: 'Friday',
  sat: 'Saturday',
  sun: 'Sunday',
}
export const days = Object.keys(day_names) as Day[]

export const default_hours: Hours = { start: '09:00', end: '17:00' }
export const default_windows: Window[] = [{ days: days.slice(0, 5), ...default_hours }]

/** Converts windows for the fields. A field for times can't show 24:00, so midnight is 00:00 in it. */
export const toWeek = (windows: Window[]): Week =>
  Object.fromEntries(
    days.map((day) => [
      day,
      windows
        .filter((window) => window.days.includes(day))
        .map(({ start, end }) => ({ start, end: end === '24:00' ? '00:00' : end })),
    ]),
  ) as Week

/** Converts the fields to windows. Days with the same hours share a window. */
export function toWindows(week: Week): Window[] {
  const windows = new Map<string, Window>()
  for (const day of days) {
    for (const { start, end } of week[day]) {
      const key = `${start} ${end}`
      const window = windows.get(key) ?? { days: [], start, end: end === '00:00' ? '24:00' : end }
      if (!window.days.includes(day)) window.days.push(day)
      windows.set(key, window)
    }
  }
  return [...windows.values()]
}

/** "Mon–Fri 09:00–17:00". */
export const describeWindow = ({ days, start, end }: Window): string => `${describeDays(days)} ${start}–${end}`

function describeDays(open: Day[]): string {
  const runs: Day[][] = []
  for (const day of days) {
    if (!open.includes(day)) continue
    const last = runs.at(-1)
    const before = days[days.indexOf(day) - 1]
    if (last && last.at(-1) === before) last.push(day)
    else runs.push([day])
  }
  return runs.map(describeRun).join(', ')
}

function describeRun(run: Day[]): string {
  const names = run.map((day) => day_names[day].slice(0, 3))
  return names.length > 2 ? `${names[0]}–${names.at(-1)}` : names.join(', ')
}

/** A range from one minute since midnight until another. */
type Range = [number, number]
type Ranges = Record<Day, Range[]>

const hour_minutes = 60
const day_minutes = 24 * hour_minutes
const hour_ms = 3_600_000
/** Nights are not shaded in longer times, which have so many that they can't be told apart. */
const shaded_hours_max = 60 * 24

const toMinutes = (time: string): number => {
  const [hours = Number.NaN, minutes = Number.NaN] = time.split(':').map(Number)
  return hours * hour_minutes + minutes
}

const toTime = (minutes: number): string =>
  [Math.floor(minutes / hour_minutes) % 24, minutes % hour_minutes]
    .map((part) => String(part).padStart(2, '0'))
    .join(':')

/**
 * Converts hours to ranges. Hours that cross midnight are split there, and a time that is not typed in full is left
 * out.
 */
export function toRanges(week: Week): Ranges {
  const ranges = Object.fromEntries(days.map((day) => [day, []])) as unknown as Ranges
  for (const [index, day] of days.entries()) {
    for (const { start, end } of week[day]) {
      const [from, until] = [toMinutes(start), toMinutes(end)]
      if (Number.isNaN(from + until)) continue
      ranges[day].push([from, until > from ? until : day_minutes])
      const next = days[(index + 1) % days.length]
      if (next && until <= from && until > 0) ranges[next].push([0, until])
    }
  }
  return Object.fromEntries(days.map((day) => [day, join(ranges[day])])) as Ranges
}

/** Whether an hour is open: all of it, nothing, or a part. */
export function isOpen(ranges: Range[], hour: number): boolean | 'mixed' {
  const [from, until] = [hour * hour_minutes, (hour + 1) * hour_minutes]
  const open = ranges.reduce((sum, [start, end]) => sum + Math.max(0, Math.min(end, until) - Math.max(start, from)), 0)
  return open === 0 ? false : open >= hour_minutes || 'mixed'
}

/** Opens or closes an hour of a day. */
export function paint(week: Week, { day, hour }: { day: Day; hour: number }, is_open: boolean): Week {
  const [from, until] = [hour * hour_minutes, (hour + 1) * hour_minutes]
  const ranges = toRanges(week)
  const others = ranges[day].flatMap(([start, end]): Range[] => [
    [start, Math.min(end, from)],
    [Math.max(start, until), end],
  ])
  ranges[day] = is_open ? [...others, [from, until]] : others
  return Object.fromEntries(days.map((one) => [one, join(ranges[one]).map(toHours)])) as Week
}

const toHours = ([start, end]: Range): Hours => ({ start: toTime(start), end: toTime(end) })

function join(ranges: Range[]): Range[] {
  const joined: Range[] = []
  for (const [start, end] of ranges.filter(([start, end]) => start < end).sort(([one], [other]) => one - other)) {
    const last = joined.at(-1)
    if (last && start <= last[1]) last[1] = Math.max(last[1], end)
    else joined.push([start, end])
  }
  return joined
}

type Opening = Pick<Campaign, 'windows' | 'holidays'>

/**
 * Returns the times at which a campaign is closed in a time zone, to the quarter of an hour. Returns none for a time of
 * more than 60 days.
 */
export function closedRanges({ windows, holidays }: Opening, zone: string, [from, until]: Range): Range[] {
  if (until - from > shaded_hours_max * hour_ms) return []
  const ranges = toRanges(toWeek(windows))
  const step_ms = until - from > (shaded_hours_max / 4) * hour_ms ? hour_ms : hour_ms / 4
  const clock = new Intl.DateTimeFormat('en', {
    timeZone: zone,
    hourCycle: 'h23',
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  })
  const isClosed = (time: number): boolean => {
    const part = Object.fromEntries(clock.formatToParts(time).map(({ type, value }) => [type, value]))
    const minutes = toMinutes(`${part.hour}:${part.minute}`)
    const open = ranges[part.weekday?.toLowerCase() as Day]
    if (holidays.includes(`${part.year}-${part.month}-${part.day}`)) return true
    return !open.some(([start, end]) => start <= minutes && minutes < end)
  }
  const first = Math.floor(from / step_ms) * step_ms
  const steps = Array.from({ length: Math.ceil((until - first) / step_ms) }, (_, index) => first + index * step_ms)
  return join(steps.filter(isClosed).map((time): Range => [time, time + step_ms]))
}
