import { sources } from '../contacts/schema.ts'
import * as contacts from '../contacts/store.ts'
import * as events from '../events/store.ts'
import * as clock from '../kit/clock.ts'
import type { Scopes } from '../kit/http/operation.ts'
import type { Db } from '../kit/postgres/pool.ts'
import type { Overview } from './schema.ts'

const days_shown = 30
const days_of_a_week = 7
const events_shown = 10
const day_ms = 24 * 60 * 60 * 1000

/** All of it is read from counts that the writes keep, so it costs the same at any number of contacts. */
export async function get(db: Db, workspace: string, scopes: Scopes, now: number): Promise<Overview> {
  const days = Array.from({ length: days_shown }, (_, index) => dayOf(now - (days_shown - 1 - index) * day_ms))
  const [by_source, by_day, last_events] = await Promise.all([
    contacts.countBySource(db, workspace),
    contacts.countByDay(db, workspace, days[0] ?? ''),
    events.last(db, workspace, events.readableTypes(scopes), events_shown),
  ])
  const of_source = new Map<string, number>(by_source.map(({ source, total }) => [source, total]))
  const of_day = new Map(by_day.map(({ day, total }) => [day, total]))
  const added_by_day = days.map((day) => ({ day, total: of_day.get(day) ?? 0 }))
  return {
    contacts: {
      total: sum(by_source),
      new_this_week: sum(added_by_day.slice(-days_of_a_week)),
      by_source: Object.fromEntries(sources.map((source) => [source, of_source.get(source) ?? 0])),
    },
    added_by_day,
    events: last_events,
  }
}

const dayOf = (time_ms: number): string => clock.iso(time_ms).slice(0, 10)

const sum = (counts: { total: number }[]): number => counts.reduce((all, { total }) => all + total, 0)
