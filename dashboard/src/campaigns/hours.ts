import type { Campaign } from '../../../server/campaigns/schema.ts'

export type Window = Campaign['windows'][number]
export type Day = Window['days'][number]

/** An end at or before the start is on the next day. */
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

/** A field for times can't show 24:00, so midnight is 00:00 in it. */
export const toWeek = (windows: Window[]): Week =>
  Object.fromEntries(
    days.map((day) => [
      day,
      windows
        .filter((window) => window.days.includes(day))
        .map(({ start, end }) => ({ start, end: end === '24:00' ? '00:00' : end })),
    ]),
  ) as Week

/** Days with the same hours share a window. */
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
