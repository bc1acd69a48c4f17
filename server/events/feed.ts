import { firstIdOf, isId } from '../kit/id.ts'
import { batchedGetById } from '../kit/postgres/get-by-id.ts'
import { type IsStopping, inBatches } from '../kit/postgres/in-batches.ts'
import * as page from '../kit/postgres/page.ts'
import type { Db } from '../kit/postgres/pool.ts'
import { raw, type Sql, sql } from '../kit/postgres/sql.ts'
import { invalid, notFound, overloaded } from '../kit/problem.ts'
import { types as all_types, type EventType, typesOf } from './catalog.ts'
import type { Event, EventQuery } from './schema.ts'

/** Short enough that a reader who waits for it hardly notices. */
const placed_at_once_max = 2_000

/** People do these, one at a time: a workspace has few of them. */
const rare_types = [...typesOf('api_key.*'), ...typesOf('webhook.*')]

/** Of each stream in memory: the next are read when the client has taken these. */
export const next_at_once = 50

const columns = raw('id, type, resource_id, created_at, data, previous')

const newest_first: page.Sort = {
  name: '-position',
  column: 'position',
  is_descending: true,
  is_nullable: false,
  is_ordinal: true,
}
const oldest_first: page.Sort = { ...newest_first, name: 'position', is_descending: false }

type Placed = Event & { position: number }

export async function get(db: Db, workspace: string, id: string, readable: EventType[]): Promise<Event> {
  const event = await byId(db, workspace, id)
  if (!event || !readable.includes(event.type)) throw notFound()
  return event
}

const byId = batchedGetById<Event>(columns, raw('events'))

/** Newest first; after an event, in the order in which they came. */
export async function list(
  db: Db,
  workspace: string,
  query: EventQuery,
  readable: EventType[],
): Promise<page.Page<Placed>> {
  await place(db, workspace)
  const start = query.after === undefined ? undefined : await positionOf(db, workspace, query.after, 'after')
  const part = start === undefined ? raw('true') : sql`position > ${start}::bigint`
  const filter = { types: shown(query.type, readable), resource_id: query.resource_id }
  return page.read(query, start === undefined ? newest_first : oldest_first, async (cut) => {
    const [rows, total] = await Promise.all([
      db.many<Placed>(cut.rows(selected(workspace, filter, part))),
      count(db, workspace, filter, part),
    ])
    return { rows, total }
  })
}

/** The types that match the pattern and that the reader may read. */
export const shown = (pattern: string | undefined, readable: EventType[]): EventType[] =>
  typesOf(pattern ?? '*').filter((type) => readable.includes(type))

interface Filter {
  types: EventType[]
  resource_id?: string | undefined
}

function selected(workspace: string, { types, resource_id }: Filter, part: Sql): Sql {
  const all = sql`select ${columns}, position from events
    where workspace_id = ${workspace} and position is not null and ${part}`
  const of_types = types.length === all_types.length ? all : sql`${all} and type = any(${types}::text[])`
  return resource_id === undefined ? of_types : sql`${of_types} and resource_id = ${resource_id}`
}

/** Positions have no gaps, so that all are counted by the first and the last of them, and the few of rare types are taken off. */
async function count(db: Db, workspace: string, filter: Filter, part: Sql): Promise<number> {
  const others = all_types.filter((type) => !filter.types.includes(type))
  if (filter.resource_id !== undefined || !others.every((type) => rare_types.includes(type))) {
    return page.count(db, selected(workspace, filter, part))
  }
  const { total } = await db.one<{ total: number }>(
    sql`select coalesce(max(position) - min(position) + 1, 0) - (
        select count(*) from events
        where workspace_id = ${workspace} and position is not null and ${part} and type = any(${others}::text[])
      ) as total
      from events where workspace_id = ${workspace} and position is not null and ${part}`,
  )
  return total
}

/** Refused when there is no such event, or no longer: who asks has missed some. */
export async function positionOf(db: Db, workspace: string, id: string, said_in: string): Promise<number> {
  const read = sql`select position from events where workspace_id = ${workspace} and id = ${id}`
  let placed: number | undefined
  while (isId(id)) {
    const event = await db.maybe<{ position: number | null }>(read)
    if (!event) break
    if (event.position !== null) return event.position
    // It is known from elsewhere, such as a webhook, before all those ahead of it have their positions.
    if (placed === 0) throw overloaded()
    placed = await placeSome(db, workspace)
  }
  const message = `${said_in} names no event that is kept.`
  throw invalid([{ path: said_in, code: 'unknown', message }])
}

/** With what was said as it was said. */
export interface Kept {
  position: number
  id: string
  type: string
  resource_id: string
  created_at: string
  data: string
  previous: string | null
}

/** Those that came next, in their order. */
export const next = (db: Db, workspace: string, types: EventType[], after: number) =>
  db.many<Kept>(
    sql`select position, id, type, resource_id, created_at, data::text, previous::text
      from (${selected(workspace, { types }, sql`position > ${after}::bigint`)}) as selected
      order by position limit ${raw(String(next_at_once))}`,
  )

/** Where these workspaces are: what has no position yet gets one. */
export async function heads(db: Db, workspaces: string[]): Promise<Map<string, number>> {
  const waiting = await db.many<{ workspace_id: string }>(
    sql`select workspace_id from unnest(${workspaces}::uuid[]) as asked (workspace_id)
      where exists (select from events where workspace_id = asked.workspace_id and position is null)`,
  )
  for (const { workspace_id } of waiting) await placeSome(db, workspace_id)
  const rows = await db.many<{ workspace_id: string; position: number }>(
    sql`select workspace_id, position from event_positions where workspace_id = any(${workspaces}::uuid[])`,
  )
  return new Map(rows.map(({ workspace_id, position }) => [workspace_id, position]))
}

/** All that was committed before gets its position, but for what comes after very many. */
export async function place(db: Db, workspace: string): Promise<void> {
  await heads(db, [workspace])
}

/** The same for all workspaces, to the last. */
export async function placeAll(db: Db, isStopping: () => boolean): Promise<void> {
  const workspaces = await db.many<{ workspace_id: string }>(
    sql`with recursive waiting (workspace_id) as (
        (select workspace_id from events where position is null order by workspace_id limit 1)
        union all
        select (select workspace_id from events where position is null and workspace_id > waiting.workspace_id
          order by workspace_id limit 1)
        from waiting where workspace_id is not null)
      select workspace_id from waiting where workspace_id is not null`,
  )
  for (const { workspace_id } of workspaces) {
    while (!isStopping() && (await placeSome(db, workspace_id)) === placed_at_once_max);
  }
}

/** Each row is to be found by its key. A plan that was made when there were few would read all of them for each. */
const by_key = raw(
  [
    "set_config('plan_cache_mode', 'force_custom_plan', true)",
    ...['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin'].map((way) => `set_config('enable_${way}', 'off', true)`),
  ].join(', '),
)

/**
 * Gives positions to what is committed, in the order of the ids. Who holds the workspace's row of `event_positions` is the
 * only one to do so, and the statement after that sees all that was committed by then: a statement has its own snapshot.
 * What a deletion is about to change is not waited for, nor what comes after it.
 */
function placeSome(db: Db, workspace: string): Promise<number> {
  const waiting = sql`select workspace_id, id from events where workspace_id = ${workspace} and position is null
    order by id limit ${placed_at_once_max}`
  return db.tx(async (db) => {
    const [, , placed] = await Promise.all([
      db.run(
        sql`insert into event_positions (workspace_id, position) values (${workspace}, 0)
          on conflict (workspace_id) do nothing`,
      ),
      db.run(sql`select ${by_key} from event_positions where workspace_id = ${workspace} for update`),
      db.run(
        sql`with free as materialized (${waiting} for update skip locked),
          held as (select id from (${waiting}) as waiting where id not in (select id from free) order by id limit 1),
          numbered as (select workspace_id, id, row_number() over (order by id) as number from free
            where id < coalesce((select id from held), 'ffffffff-ffff-ffff-ffff-ffffffffffff')),
          ahead as (update event_positions set position = position + (select count(*) from numbered)
            where workspace_id = ${workspace} returning position - (select count(*) from numbered) as position)
          update events set position = ahead.position + number from numbered, ahead
          where events.workspace_id = numbered.workspace_id and events.id = numbered.id`,
      ),
    ])
    return placed
  })
}

const removed_at_once_max = 2_000

/** From the beginning, as far as they are older, so that no gap comes to be. */
export async function removeOld(db: Db, workspace: string, before: number, isStopping?: IsStopping): Promise<void> {
  // What was removed stays in the index until the next vacuum, so that each batch goes on where the last one ended.
  let last = 0
  const removeSome = async () => {
    const oldest = await db.many<{ id: string; position: number }>(
      sql`select id, position from events where workspace_id = ${workspace} and position > ${last}
        order by position limit ${raw(String(removed_at_once_max))}`,
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
  await inBatches(removed_at_once_max, removeSome, isStopping)
}
