import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { firstIdOf } from '../kit/id.ts'
import { batchedGetById } from '../kit/postgres/get-by-id.ts'
import { type IsStopping, inBatches } from '../kit/postgres/in-batches.ts'
import * as page from '../kit/postgres/page.ts'
import { raw, type Sql, sql } from '../kit/postgres/sql.ts'
import { notFound } from '../kit/problem.ts'
import type { Catalog } from './catalog.ts'
import { type Reader, type StoredActor, withNames } from './named.ts'
import { lastPosition, positionOf } from './positions.ts'
import type { Event, EventQuery } from './schema.ts'

/** Events that a stream holds in memory. It reads the next ones when its client has received these. */
export const next_max = 50
const delete_batch_rows = 2_000
const search_precision_ms = 1_000

const columns = raw('id, type, resource_id, created_at, data, previous, actor_type, actor_id')

const newest_first: page.Sort = {
  name: '-position',
  column: 'position',
  is_descending: true,
  is_nullable: false,
  is_ordinal: true,
}
const oldest_first: page.Sort = { ...newest_first, name: 'position', is_descending: false }

/** An event without the names of its actor and subject. */
type Row = Omit<Event, 'actor' | 'subject'> & StoredActor

type PositionedEvent = Event & { position: number }

/** Returns an event. `names` are the types that the caller may read. */
export async function get(at: At, { id, names, ...reader }: { id: string; names: string[] } & Reader): Promise<Event> {
  const event = await byId(at.db, at.workspace, id)
  if (!event || !names.includes(event.type)) throw notFound()
  const [named] = await withNames(at, [event], reader)
  if (!named) throw notFound()
  return named
}

const byId = batchedGetById<Row>(columns, raw('events'))

/** Lists events of the types in `names`, newest first; with `after`, oldest first. */
export async function list(
  at: At,
  { query, names, catalog, ...reader }: { query: EventQuery; names: string[]; catalog: Catalog } & Reader,
): Promise<page.Page<PositionedEvent>> {
  const { db, workspace } = at
  // This assigns positions, so that the list includes everything committed by now.
  await lastPosition(at)
  const start = query.after === undefined ? undefined : await positionOf(at, { id: query.after, field: 'after' })
  const in_range = start === undefined ? raw('true') : sql`position > ${start}::bigint`
  const others = catalog.types.filter(({ name }) => !names.includes(name))
  const filter = { names: toNamesFilter(catalog, names), resource_id: query.resource_id }
  const other_names = others.map(({ name }) => name)
  const can_subtract = query.resource_id === undefined && others.every(({ is_rare }) => is_rare)
  const found = await page.read(query, start === undefined ? newest_first : oldest_first, async (page_sql) => {
    const [rows, total] = await Promise.all([
      db.many<Row & { position: number }>(page_sql.rows(selectEvents(workspace, filter, in_range))),
      can_subtract
        ? countAllExcept(at, other_names, in_range)
        : page.count(db, selectEvents(workspace, filter, in_range)),
    ])
    return { rows, total }
  })
  return { ...found, data: await withNames(at, found.data, reader) }
}

interface Filter {
  names: NamesFilter
  resource_id?: string | undefined
}

function selectEvents(workspace: string, { names, resource_id }: Filter, in_range: Sql): Sql {
  const all = sql`select ${columns}, position from events
    where workspace_id = ${workspace} and position is not null and ${in_range}`
  const of_types = names === undefined ? all : sql`${all} and type = any(${names}::text[])`
  return resource_id === undefined ? of_types : sql`${of_types} and resource_id = ${resource_id}`
}

/**
 * Counts all events but those of these rare types. Positions have no gaps, so the first and the last give the total.
 */
async function countAllExcept({ db, workspace }: At, names: string[], in_range: Sql): Promise<number> {
  const { total } = await db.one<{ total: number }>(
    sql`select coalesce(max(position) - min(position) + 1, 0) - (
        select count(*) from events
        where workspace_id = ${workspace} and position is not null and ${in_range} and type = any(${names}::text[])
      ) as total
      from events where workspace_id = ${workspace} and position is not null and ${in_range}`,
  )
  return total
}

/** The types of events to read. Undefined means all types: the query is then faster without a condition. */
export type NamesFilter = string[] | undefined

export const toNamesFilter = (catalog: Catalog, names: string[]): NamesFilter =>
  names.length === catalog.names.length ? undefined : names

/** An event with `data` and `previous` as JSON text. */
export interface StreamedEvent extends Pick<Event, 'actor' | 'subject'> {
  position: number
  id: string
  type: string
  resource_id: string
  created_at: string
  data: string
  previous: string | null
}

/** Returns the next events after a position, in order. Streams of several requests of a workspace share them. */
export async function listNext(at: At, { names, after, ...reader }: Range): Promise<StreamedEvent[]> {
  const rows = await at.db.many<Omit<StreamedEvent, 'actor' | 'subject'> & StoredActor>(
    sql`select position, id, type, resource_id, created_at, data::text, previous::text, actor_type, actor_id
      from (${selectEvents(at.workspace, { names }, sql`position > ${after}::bigint`)}) as selected
      order by position limit ${raw(String(next_max))}`,
  )
  return withNames(at, rows, reader)
}

export interface Range extends Reader {
  names: NamesFilter
  after: number
}

export interface EventHead {
  id: string
  type: string
  created_at: string
}

/** Returns the next events between two ids, in the order of their ids. */
export const listById = (
  { db, workspace }: At,
  { after, before, limit }: { after: string; before: string; limit: number },
): Promise<EventHead[]> =>
  db.many<EventHead>(
    sql`select id, type, created_at from events
      where workspace_id = ${workspace} and id > ${after} and id < ${before}
      order by id limit ${raw(String(limit))}`,
  )

/**
 * Finds an id before those of all events since a time, but close to them, by halving the range between two times of the
 * server. It doesn't calculate the id: ids contain the time of the server, which may differ from `created_at`.
 */
export async function idBefore(
  { db, workspace }: At,
  since_ms: number,
  { from_ms, until_ms }: { from_ms: number; until_ms: number },
): Promise<string> {
  let low = from_ms
  let high = until_ms
  while (high - low > search_precision_ms) {
    const middle = Math.floor((low + high) / 2)
    const event = await db.maybe<{ created_at: string }>(
      sql`select created_at from events where workspace_id = ${workspace} and id >= ${firstIdOf(middle)} order by id limit 1`,
    )
    if (event && clock.parse(event.created_at) < since_ms) low = middle
    else high = middle
  }
  return firstIdOf(low)
}

/** Deletes events in order of position, up to the first that is not old, so that positions have no gaps. */
export async function removeOld({ db, workspace }: At, before: number, isStopping?: IsStopping): Promise<void> {
  // Deleted rows stay in the index until the next vacuum, so each batch starts where the last one ended.
  let last = 0
  const removeBatch = async () => {
    const oldest = await db.many<{ created_at: string; position: number }>(
      sql`select created_at, position from events where workspace_id = ${workspace} and position > ${last}
        order by position limit ${raw(String(delete_batch_rows))}`,
    )
    const first_kept = oldest.findIndex(({ created_at }) => clock.parse(created_at) >= before)
    const positions = oldest.slice(0, first_kept === -1 ? oldest.length : first_kept).map(({ position }) => position)
    await db.run(
      sql`delete from events
        where workspace_id = ${workspace} and position is not null and position = any(${positions}::bigint[])`,
    )
    last = positions.at(-1) ?? last
    return positions.length
  }
  await inBatches(delete_batch_rows, removeBatch, isStopping)
}
