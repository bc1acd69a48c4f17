import type { At } from '../kit/at.ts'
import { firstIdOf } from '../kit/id.ts'
import { batchedGetById } from '../kit/postgres/get-by-id.ts'
import { type IsStopping, inBatches } from '../kit/postgres/in-batches.ts'
import * as page from '../kit/postgres/page.ts'
import type { Db } from '../kit/postgres/pool.ts'
import { raw, type Sql, sql } from '../kit/postgres/sql.ts'
import { notFound } from '../kit/problem.ts'
import type { Catalog } from './catalog.ts'
import { lastPosition, positionOf } from './positions.ts'
import type { Event, EventQuery } from './schema.ts'

/** How many events a stream holds in memory. It reads the next when its client has taken these. */
export const next_max = 50
const deleted_max = 2_000

const columns = raw('id, type, resource_id, created_at, data, previous')

const newest_first: page.Sort = {
  name: '-position',
  column: 'position',
  is_descending: true,
  is_nullable: false,
  is_ordinal: true,
}
const oldest_first: page.Sort = { ...newest_first, name: 'position', is_descending: false }

type Positioned = Event & { position: number }

/** `names` are the event types that the caller may read. */
export async function get({ db, workspace }: At, { id, names }: { id: string; names: string[] }): Promise<Event> {
  const event = await byId(db, workspace, id)
  if (!event || !names.includes(event.type)) throw notFound()
  return event
}

const byId = batchedGetById<Event>(columns, raw('events'))

/** Newest first; with `after`, oldest first. `names` are the event types to show. */
export async function list(
  at: At,
  { query, names, catalog }: { query: EventQuery; names: string[]; catalog: Catalog },
): Promise<page.Page<Positioned>> {
  const { db, workspace } = at
  await lastPosition(at)
  const start = query.after === undefined ? undefined : await positionOf(at, { id: query.after, field: 'after' })
  const part = start === undefined ? raw('true') : sql`position > ${start}::bigint`
  const others = catalog.types.filter(({ name }) => !names.includes(name))
  const filter = { names: others.length === 0 ? undefined : names, resource_id: query.resource_id }
  const can_subtract = query.resource_id === undefined && others.every(({ is_rare }) => is_rare)
  return page.read(query, start === undefined ? newest_first : oldest_first, async (cut) => {
    const [rows, total] = await Promise.all([
      db.many<Positioned>(cut.rows(selected(workspace, filter, part))),
      can_subtract
        ? countAllBut(
            at,
            others.map(({ name }) => name),
            part,
          )
        : page.count(db, selected(workspace, filter, part)),
    ])
    return { rows, total }
  })
}

interface Filter {
  /** undefined: all. */
  names: string[] | undefined
  resource_id?: string | undefined
}

function selected(workspace: string, { names, resource_id }: Filter, part: Sql): Sql {
  const all = sql`select ${columns}, position from events
    where workspace_id = ${workspace} and position is not null and ${part}`
  const of_types = names === undefined ? all : sql`${all} and type = any(${names}::text[])`
  return resource_id === undefined ? of_types : sql`${of_types} and resource_id = ${resource_id}`
}

/** Positions have no gaps, so the first and the last give the total. The few events of rare types are subtracted. */
async function countAllBut({ db, workspace }: At, names: string[], part: Sql): Promise<number> {
  const { total } = await db.one<{ total: number }>(
    sql`select coalesce(max(position) - min(position) + 1, 0) - (
        select count(*) from events
        where workspace_id = ${workspace} and position is not null and ${part} and type = any(${names}::text[])
      ) as total
      from events where workspace_id = ${workspace} and position is not null and ${part}`,
  )
  return total
}

/** An event with `data` and `previous` as JSON text. */
export interface StreamedEvent {
  position: number
  id: string
  type: string
  resource_id: string
  created_at: string
  data: string
  previous: string | null
}

/** The next events after a position, in order. Not a verb of `at`: streams of different requests share it. */
export const listNext = (db: Db, workspace: string, names: string[], after: number): Promise<StreamedEvent[]> =>
  db.many<StreamedEvent>(
    sql`select position, id, type, resource_id, created_at, data::text, previous::text
      from (${selected(workspace, { names }, sql`position > ${after}::bigint`)}) as selected
      order by position limit ${raw(String(next_max))}`,
  )

/** Deletes the oldest events, in order of position, so that positions have no gaps. */
export async function removeOld({ db, workspace }: At, before: number, isStopping?: IsStopping): Promise<void> {
  // Deleted rows stay in the index until the next vacuum, so each batch starts where the last one ended.
  let last = 0
  const removeSome = async () => {
    const oldest = await db.many<{ id: string; position: number }>(
      sql`select id, position from events where workspace_id = ${workspace} and position > ${last}
        order by position limit ${raw(String(deleted_max))}`,
    )
    const kept = oldest.findIndex(({ id }) => id >= firstIdOf(before))
    const positions = oldest.slice(0, kept === -1 ? oldest.length : kept).map(({ position }) => position)
    await db.run(
      sql`delete from events
        where workspace_id = ${workspace} and position is not null and position = any(${positions}::bigint[])`,
    )
    last = positions.at(-1) ?? last
    return positions.length
  }
  await inBatches(deleted_max, removeSome, isStopping)
}
