import { type At, type InWorkspace, inTransaction } from '../kit/at.ts'
import { isId } from '../kit/id.ts'
import type { Db } from '../kit/postgres/pool.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { invalid, overloaded } from '../kit/problem.ts'

/** A batch is so small that a reader hardly notices the wait. */
const batch_rows = 2_000

/** A poll reads this many events. One workspace may have all of them; the next poll finds the others. */
const poll_rows = 100_000

/**
 * Returns the position of an event. Throws when the event doesn't exist or was deleted: a reader that continues after
 * it would miss some.
 */
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
    if (assigned === 0) throw overloaded('events_behind')
    assigned = await assignBatch(at)
  }
  const message = `${field} must be the id of an event that still exists.`
  throw invalid([{ path: field, code: 'unknown', message }])
}

/** Returns the id of the event at a position. Undefined if there is none, or none any more. */
export async function idAt({ db, workspace }: InWorkspace, position: number): Promise<string | undefined> {
  const event = await db.maybe<{ id: string }>(
    sql`select id from events where workspace_id = ${workspace} and position = ${position}::bigint`,
  )
  return event?.id
}

/** Assigns positions to a batch of committed events, and returns the last position. */
export async function lastPosition(at: InWorkspace): Promise<number> {
  const { db, workspace } = at
  if (await hasUnassigned(at)) await assignBatch(at)
  const last = await db.maybe<{ position: number }>(
    sql`select position from event_positions where workspace_id = ${workspace}`,
  )
  return last?.position ?? 0
}

const hasUnassigned = async ({ db, workspace }: InWorkspace): Promise<boolean> =>
  (await db.run(sql`select from events where workspace_id = ${workspace} and position is null limit 1`)) > 0

/** Does what `lastPosition` does for many workspaces with fewer statements, in a database that isn't sharded. */
export async function lastPositions(db: Db, workspaces: string[]): Promise<Map<string, number>> {
  const unassigned = await db.many<{ workspace_id: string }>(
    sql`select workspace_id from unnest(${workspaces}::uuid[]) as requested (workspace_id)
      where exists (select from events where workspace_id = requested.workspace_id and position is null)`,
  )
  for (const { workspace_id } of unassigned) await assignBatch({ db, workspace: workspace_id })
  const rows = await db.many<{ workspace_id: string; position: number }>(
    sql`select workspace_id, position from event_positions where workspace_id = any(${workspaces}::uuid[])`,
  )
  return new Map(rows.map(({ workspace_id, position }) => [workspace_id, position]))
}

/** Assigns positions to all committed events of the workspace. Returns true if it had to stop before one that is locked. */
export async function assignPositions(at: InWorkspace, isStopping: () => boolean): Promise<boolean> {
  if (!(await hasUnassigned(at))) return false
  while (!isStopping() && (await assignBatch(at)) === batch_rows);
  return hasUnassigned(at)
}

/** Workspaces for which `assignPositions` has something to do. */
export const workspacesWithUnassigned = ({ db }: Pick<At, 'db'>): Promise<{ workspace_id: string }[]> =>
  db.many(
    sql`select distinct workspace_id
      from (select workspace_id from events where position is null limit ${poll_rows}) as unassigned`,
  )

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
 * resource must not get an earlier position. Numbers are looked up in an object: on outdated statistics, the plan of a join
 * compares all events of the workspace with all of the batch.
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
          update events
          set position = (select position from event_positions where workspace_id = ${workspace})
            + ((select jsonb_object_agg(id, number) from numbered) ->> id::text)::bigint
          where workspace_id = ${workspace} and id = any(array(select id from numbered))`,
      ),
      // The position never moves back: the last events may have been deleted.
      db.run(
        sql`update event_positions set position = last.position
          from (select max(position) as position from events where workspace_id = ${workspace}) as last
          where workspace_id = ${workspace} and event_positions.position < last.position`,
      ),
    ])
    return assigned
  })
}
