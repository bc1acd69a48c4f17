import { type Actor, type At, type InWorkspace, newHook } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { newId } from '../kit/id.ts'
import { selectRows } from '../kit/postgres/citus/tenants.ts'
import { copyLine } from '../kit/postgres/copy.ts'
import { type IdRange, pageById } from '../kit/postgres/page-by-id.ts'
import { raw, type Sql, sql, toArrayLiteral } from '../kit/postgres/sql.ts'
import type { EventType } from './catalog.ts'
import type { StoredActor } from './named.ts'

/** `listNewest` reads at most this many events, even when those of the given types are rare. */
const scanned_max = 1_000
/** A field has at most this many previous texts: more than anyone has had phone numbers. */
const previous_max = 1_000

export interface Recorded {
  type: EventType
  ids: string[]
}

/** Runs when events are recorded, in the same transaction. */
export const recorded = newHook<Recorded>('events.recorded')

/** Runs when events are redacted, in the same transaction, with their ids. */
export const redacted = newHook<string[]>('events.redacted')

export interface NewEvent {
  /** The resource after the event. */
  data: { id: string }
  /** For updates: the previous values of the fields that changed. */
  previous?: object
  /** When it happened, if that was not now. */
  created_at?: string
  /** The actor that caused the event, if that is not the one for whom the verb runs. */
  actor?: Actor
}

/** Records events, in the transaction of the change. The hook `recorded` lets other rooms react. */
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

/** The topic of commits with events: they get their positions soon after they are announced. */
export const topic = 'events'

const announce = ({ db, workspace }: At): void => db.notify({ topic, workspace, is_due: false })

async function insert(at: At, type: EventType, ids: string[], events: NewEvent[]): Promise<void> {
  announce(at)
  const actors = events.map(({ actor = at.actor }) => actor)
  const selected = selectRows(at, {
    columns: sql`id, ${type.name}, resource_id, data, previous, created_at, actor_type, actor_id`,
    from: sql`unnest(${ids}::uuid[], ${events.map(({ data }) => data.id)}::uuid[],
      ${events.map(({ data }) => JSON.stringify(data))}::json[],
      ${events.map(({ previous }) => previous && JSON.stringify(previous))}::json[],
      ${events.map(({ created_at }) => created_at ?? clock.iso(at.now))}::timestamptz[],
      ${toArrayLiteral(actors.map(({ type }) => type))}::text[], ${toArrayLiteral(actors.map(({ id }) => id))}::uuid[])
      as event (id, resource_id, data, previous, created_at, actor_type, actor_id)`,
  })
  await at.db.run(
    sql`insert into events (workspace_id, id, type, resource_id, data, previous, created_at, actor_type, actor_id)
      ${selected}`,
  )
}

/** Like `record`, for thousands of events at once. */
export async function recordMany(at: At, type: EventType, events: Omit<NewEvent, 'previous'>[]): Promise<void> {
  if (events.length === 0) return
  const ids = events.map(() => newId())
  const lines = events.map(({ data, created_at = clock.iso(at.now), actor = at.actor }, index) =>
    copyLine([
      at.workspace,
      ids[index] ?? '',
      type.name,
      data.id,
      JSON.stringify(data),
      created_at,
      actor.type,
      actor.id,
    ]),
  )
  const columns = ['workspace_id', 'id', 'type', 'resource_id', 'data', 'created_at', 'actor_type', 'actor_id']
  announce(at)
  await Promise.all([at.db.copy('events', columns, lines.join('')), at.hooks.run(at, recorded, { type, ids })])
}

/** Removes everything but the ids from the events of deleted resources. */
export async function redact(at: At, resource_ids: string[]): Promise<void> {
  const events = await at.db.many<{ id: string }>(
    sql`update events set data = json_object(array['id', resource_id::text]), previous = null
      where workspace_id = ${at.workspace} and resource_id = any(${resource_ids}::uuid[])
      returning id`,
  )
  const ids = events.map(({ id }) => id)
  if (ids.length > 0) await at.hooks.run(at, redacted, ids)
}

/** Counts the events of these resources. */
export async function countOf({ db, workspace }: InWorkspace, resource_ids: string[]): Promise<number> {
  const { total } = await db.one<{ total: number }>(
    sql`select count(*) as total from events where workspace_id = ${workspace} and resource_id = any(${resource_ids}::uuid[])`,
  )
  return total
}

const listed_columns = raw('id, type, resource_id, created_at, data, previous')

/** Lists the events of these resources, in the order of their ids. */
export const listOf = ({ db, workspace }: InWorkspace, resource_ids: string[], range: IdRange) =>
  db.many<EventSummary & { data: unknown; previous: unknown }>(
    pageById('events', workspace, {
      columns: listed_columns,
      where: sql`resource_id = any(${resource_ids}::uuid[])`,
      ...range,
    }),
  )

/**
 * Returns the texts that a field of a resource had before its updates, as far as events are kept, at most a thousand.
 */
export async function previousTexts(
  { db, workspace }: InWorkspace,
  { resource_id, field }: { resource_id: string; field: string },
): Promise<string[]> {
  const rows = await db.many<{ text: string }>(
    sql`select distinct previous ->> ${field} as text from events
      where workspace_id = ${workspace} and resource_id = ${resource_id} and previous ->> ${field} is not null
      limit ${previous_max}`,
  )
  return rows.map(({ text }) => text)
}

/** Returns the event's `data` as JSON text, and locks the event, so that it isn't redacted before the transaction ends. */
export async function lockData({ db, workspace }: At, id: string | null): Promise<string | undefined> {
  const event = await db.maybe<{ data: string }>(
    sql`select data::text from events where workspace_id = ${workspace} and id = ${id} for share`,
  )
  return event?.data
}

/** An event with `data` and `previous` as JSON text. The text doesn't change, so each attempt sends the same bytes. */
export interface EventText extends StoredActor {
  id: string
  type: string
  timestamp: string
  data: string
  previous: string | null
  resource_id: string
}

/** Joins each row to its event, to select `text_columns`. */
export const joinEvent = (workspace: string, id: Sql): Sql =>
  sql`join events as event on event.workspace_id = ${workspace} and event.id = ${id}`

export const text_columns = raw(
  'event.created_at as timestamp, event.data::text, event.previous::text, event.resource_id, actor_type, actor_id',
)

/** An SQL condition that there is an event with this id, of one of these types. */
export const isOfTypes = (workspace: string, id: Sql, names: string[]): Sql =>
  sql`exists (select from events
    where events.workspace_id = ${workspace} and events.id = ${id} and events.type = any(${names}::text[]))`

export interface EventSummary {
  id: string
  type: string
  resource_id: string
  created_at: string
}

/** Returns events of these types among the last `scanned_max` events, newest first. */
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
