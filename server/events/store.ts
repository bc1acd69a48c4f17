import { type At, newHook } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { newId } from '../kit/id.ts'
import { copyLine } from '../kit/postgres/copy.ts'
import { raw, type Sql, sql } from '../kit/postgres/sql.ts'
import type { EventType } from './catalog.ts'

/** A list of rare types reads at most this many events. */
const scanned_max = 1_000

export interface Recorded {
  type: EventType
  ids: string[]
}

/** Runs in the transaction that records events. */
export const recorded = newHook<Recorded>('events.recorded')

/** Runs in the transaction that redacts events, with their ids. */
export const redacted = newHook<string[]>('events.redacted')

/** The resource after the event and, for updates, the previous values of the fields that changed. */
export interface NewEvent {
  data: { id: string }
  previous?: object
}

/** Records what happened, in the transaction in which it happened. Other rooms react by the hook `recorded`. */
export async function record(at: At, type: EventType, events: NewEvent[]): Promise<void> {
  if (events.length === 0) return
  const ids = events.map(() => newId())
  await Promise.all([insert(at, type, ids, events), at.hooks.run(at, recorded, { type, ids })])
}

/** Records an event without running the hook, and returns its id. */
export async function recordOnly(at: At, type: EventType, event: NewEvent): Promise<string> {
  const id = newId()
  await insert(at, type, [id], [event])
  return id
}

async function insert({ db, workspace, now }: At, type: EventType, ids: string[], events: NewEvent[]): Promise<void> {
  await db.run(
    sql`insert into events (workspace_id, id, type, resource_id, data, previous, created_at)
      select ${workspace}, id, ${type.name}, resource_id, data, previous, ${clock.iso(now)}
      from unnest(${ids}::uuid[], ${events.map(({ data }) => data.id)}::uuid[],
        ${events.map(({ data }) => JSON.stringify(data))}::json[],
        ${events.map(({ previous }) => previous && JSON.stringify(previous))}::json[])
        as event (id, resource_id, data, previous)`,
  )
}

/** Like `record`, for thousands of events at once. */
export async function recordMany(at: At, type: EventType, events: Omit<NewEvent, 'previous'>[]): Promise<void> {
  const created_at = clock.iso(at.now)
  const ids = events.map(() => newId())
  const lines = events.map(({ data }, index) =>
    copyLine([at.workspace, ids[index] ?? '', type.name, data.id, JSON.stringify(data), created_at]),
  )
  await Promise.all([
    at.db.copy('events', ['workspace_id', 'id', 'type', 'resource_id', 'data', 'created_at'], lines.join('')),
    at.hooks.run(at, recorded, { type, ids }),
  ])
}

/** Reduces the events of deleted resources to their ids. */
export async function redact(at: At, resource_ids: string[]): Promise<void> {
  const events = await at.db.many<{ id: string }>(
    sql`update events set data = json_build_object('id', resource_id), previous = null
      where workspace_id = ${at.workspace} and resource_id = any(${resource_ids}::uuid[])
      returning id`,
  )
  const ids = events.map(({ id }) => id)
  await at.hooks.run(at, redacted, ids)
}

/** The text of an event's `data`. Locks the event until the transaction ends, so that it isn't redacted meanwhile. */
export async function lockData({ db, workspace }: At, id: string | null): Promise<string | undefined> {
  const event = await db.maybe<{ data: string }>(
    sql`select data::text from events where workspace_id = ${workspace} and id = ${id} for share`,
  )
  return event?.data
}

/** An event with `data` and `previous` as JSON text, so that it is always sent as the same bytes. */
export interface EventText {
  id: string
  type: string
  timestamp: string
  data: string
  previous: string | null
}

/** Joins each row to its event by `id`, to select `text_columns`. */
export const joinEvent = (workspace: string, id: Sql): Sql =>
  sql`join events as event on event.workspace_id = ${workspace} and event.id = ${id}`

export const text_columns = raw('event.created_at as timestamp, event.data::text, event.previous::text')

/** Selects the id, type and time of events for use in another statement. */
export const selectSince = (workspace: string, names: string[], since: string): Sql =>
  sql`select id, type, created_at from events
    where workspace_id = ${workspace} and type = any(${names}::text[]) and created_at >= ${since}`

export interface EventSummary {
  id: string
  type: string
  resource_id: string
  created_at: string
}

/** The newest events of these types, newest first, among the last `scanned_max` events. */
export const listNewest = (
  { db, workspace }: At,
  { names, limit }: { names: string[]; limit: number },
): Promise<EventSummary[]> =>
  db.many<EventSummary>(
    sql`select * from (
        select id, type, resource_id, created_at from events where workspace_id = ${workspace}
        order by id desc limit ${scanned_max}
      ) as newest
      where type = any(${names}::text[]) order by id desc limit ${limit}`,
  )
