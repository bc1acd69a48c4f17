import { type At, inTransaction } from '../kit/at.ts'
import { isId } from '../kit/id.ts'
import type { Db } from '../kit/postgres/pool.ts'
import { raw, type Sql, sql } from '../kit/postgres/sql.ts'
import { invalid, overloaded } from '../kit/problem.ts'

/** Small enough that a reader hardly notices the wait. */
const batch_rows = 2_000
/** `assignPositions` reads at most this many events to find workspaces. The next call finds the rest. */
const scanned_rows = 10_000

type InWorkspace = Pick<At, 'db' | 'workspace'>

/** Throws when the event doesn't exist or was deleted: a reader that continues after it would miss some. */
export async function positionOf(at: InWorkspace, { id, field }: { id: string; field: string }): Promise<number> {
  const { db, workspace } = at
  let assigned: number | undefined
  while (isId(id)) {
    const event = await db.maybe<{ position: number | null }>(
      sql`select position from events where workspace_id = ${workspace} and id = ${id}`,
    )
    if (!event) break
    if (event.position !== null) return event.position
    // Clients may know an event before it has a position, such as from a webhook. Many others may be ahead of it.
    if (assigned === 0) throw overloaded()
    assigned = await assignBatch(at)
  }
  const message = `${field} must be the id of an event that still exists.`
  throw invalid([{ path: field, code: 'unknown', message }])
}

/** Assigns positions to a batch of committed events of each workspace, and returns the last positions. */
export async function lastPositions(db: Db, workspaces: string[]): Promise<Map<string, number>> {
  const toPositions = (rows: (LastPosition & { workspace_id: string })[]) =>
    new Map(rows.map(({ workspace_id, position }) => [workspace_id, position]))
  const from = sql`from event_positions where workspace_id = any(${workspaces}::uuid[])`
  const last = await db.many<LastPosition & { workspace_id: string }>(
    sql`select workspace_id, position, ${hasUnassigned(raw('event_positions.workspace_id'))} as has_unassigned ${from}`,
  )
  const complete = toPositions(last.filter(({ has_unassigned }) => !has_unassigned))
  const others = workspaces.filter((workspace) => !complete.has(workspace))
  if (others.length === 0) return complete
  for (const workspace of others) await assignBatch({ db, workspace })
  return toPositions(await db.many(sql`select workspace_id, position ${from}`))
}

/** Like `lastPositions`, for one workspace. */
export async function lastPosition(at: InWorkspace): Promise<number> {
  const { db, workspace } = at
  const from = sql`from event_positions where workspace_id = ${workspace}`
  const last = await db.maybe<LastPosition>(
    sql`select position, ${hasUnassigned(sql`${workspace}`)} as has_unassigned ${from}`,
  )
  if (last && !last.has_unassigned) return last.position
  await assignBatch(at)
  return (await db.one<LastPosition>(sql`select position ${from}`)).position
}

interface LastPosition {
  position: number
  has_unassigned: boolean | null
}

/** Not `exists`: with the order, the planner uses the index even if it believes that many events are unassigned. */
const hasUnassigned = (workspace: Sql): Sql =>
  sql`(select true from events where events.workspace_id = ${workspace} and events.position is null
    order by events.id limit 1)`

/** Assigns positions to all committed events of all workspaces. */
export async function assignPositions({ db }: Pick<At, 'db'>, isStopping: () => boolean): Promise<void> {
  const workspaces = await db.many<{ workspace_id: string }>(
    // Ordered and limited, so that the planner uses the index even if it believes that many events are unassigned.
    sql`select distinct workspace_id from (
        select workspace_id from events where position is null order by workspace_id, id limit ${raw(String(scanned_rows))}
      ) as unassigned order by workspace_id`,
  )
  for (const { workspace_id } of workspaces) {
    while (!isStopping() && (await assignBatch({ db, workspace: workspace_id })) === batch_rows);
  }
}

/** Makes the planner find each row by its key. A cached plan from when there were few rows would scan the whole table. */
const planner_settings = raw(
  [
    "set_config('plan_cache_mode', 'force_custom_plan', true)",
    ...['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin'].map((plan) => `set_config('enable_${plan}', 'off', true)`),
  ].join(', '),
)

/**
 * Assigns positions to committed events in the order of their ids, and returns how many. The lock on the workspace's row in
 * `event_positions` allows one transaction at a time. The statement after the lock has a new snapshot, so it sees all events
 * committed by then. It doesn't wait for an event that a deletion has locked, but stops before it: later events of the same
 * resource must not get an earlier position.
 */
function assignBatch(at: InWorkspace): Promise<number> {
  const unassigned = sql`select id from events where workspace_id = ${at.workspace} and position is null
    order by id limit ${batch_rows}`
  return inTransaction(at, async ({ db, workspace }) => {
    const [, , assigned] = await Promise.all([
      db.run(
        sql`insert into event_positions (workspace_id, position) values (${workspace}, 0)
          on conflict (workspace_id) do nothing`,
      ),
      db.run(sql`select ${planner_settings} from event_positions where workspace_id = ${workspace} for update`),
      db.run(
        sql`with free as materialized (${unassigned} for update skip locked),
          locked as (select id from (${unassigned}) as unassigned where id not in (select id from free) order by id limit 1),
          numbered as (select id, row_number() over (order by id) as number from free
            where id < coalesce((select id from locked), 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
          update events set position = last.position + number from numbered, event_positions as last
          where events.workspace_id = ${workspace} and last.workspace_id = ${workspace} and events.id = numbered.id`,
      ),
      db.run(
        sql`update event_positions set position = last.position
          from (select max(position) as position from events where workspace_id = ${workspace}) as last
          where workspace_id = ${workspace} and event_positions.position < last.position`,
      ),
    ])
    return assigned
  })
}
