import { countByDay, countBySource } from '../contacts/counts.ts'
import { sources } from '../contacts/schema.ts'
import * as events from '../events/store.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import type { Overview } from './schema.ts'

const days_shown = 30
const days_per_week = 7
const events_shown = 10

/** Reads stored counts, so that its cost doesn't grow with the number of contacts. Returns only events of these types. */
export async function get(at: At, event_names: string[]): Promise<Overview> {
  const { now } = at
  const days = Array.from({ length: days_shown }, (_, index) => toDay(now - (days_shown - 1 - index) * clock.day_ms))
  const [by_source, by_day, last_events] = await Promise.all([
    countBySource(at),
    countByDay(at, days[0] ?? ''),
    events.listNewest(at, { names: event_names, limit: events_shown }),
  ])
  const total_by_source = new Map<string, number>(by_source.map(({ source, total }) => [source, total]))
  const total_by_day = new Map(by_day.map(({ day, total }) => [day, total]))
  const added_by_day = days.map((day) => ({ day, total: total_by_day.get(day) ?? 0 }))
  return {
    contacts: {
      total: sumTotals(by_source),
      new_this_week: sumTotals(added_by_day.slice(-days_per_week)),
      by_source: Object.fromEntries(sources.map((source) => [source, total_by_source.get(source) ?? 0])),
    },
    added_by_day,
    events: last_events,
  }
}

const toDay = (time_ms: number): string => clock.iso(time_ms).slice(0, 10)

const sumTotals = (counts: { total: number }[]): number => counts.reduce((sum, { total }) => sum + total, 0)
