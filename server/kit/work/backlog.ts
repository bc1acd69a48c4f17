import * as clock from '../clock.ts'
import type { Db } from '../postgres/pool.ts'
import { raw, type Sql, sql } from '../postgres/sql.ts'
import type { DueKind } from './due.ts'

/** Workspaces that are noted as due and whose work of a kind is looked at: the more, the fewer items of each are counted. */
const workspaces_max = 5_000
/** A sharded database is asked for each workspace alone. */
const sharded_workspaces_max = 200
const read_max = 100_000
/** Items of a kind are counted up to this many. */
export const items_max = 10_000

/** What waits to be done of one kind of background work, in live workspaces: the time of others stands still. */
export interface Backlog {
  kind: string
  /** Up to `items_max`. */
  due: number
  /** The age of the oldest one. 0 when nothing is due. */
  lag_seconds: number
}

interface BacklogOptions {
  kinds: DueKind[]
  /** Selects the `workspace_id` and `now` of test workspaces. */
  test_times: Sql
}

/**
 * One statement finds the workspaces, and one for each kind counts its items there, one after the other: requests need the
 * connections. `backlogs` has those that could be read.
 */
export async function readBacklogs(
  db: Db,
  { kinds, test_times }: BacklogOptions,
): Promise<{ backlogs: Backlog[]; errors: unknown[] }> {
  const now = db.time()
  const due = await dueWorkspaces(db, { kinds, test_times, now })
  const backlogs: Backlog[] = []
  const errors: unknown[] = []
  for (const kind of kinds)
    await readBacklog(db, { kind, workspaces: due.get(kind.kind) ?? [], now }).then(
      (found) => {
        backlogs.push(found.backlog)
        errors.push(...found.errors)
      },
      (error: unknown) => errors.push(error),
    )
  return { backlogs, errors }
}

async function dueWorkspaces(
  db: Db,
  { kinds, test_times, now }: Pick<BacklogOptions, 'kinds' | 'test_times'> & { now: number },
): Promise<Map<string, string[]>> {
  const found = await db.many<{ kind: string; workspace_id: string }>(
    sql`with test as (${test_times})
      select wanted.kind, page.workspace_id from unnest(${kinds.map(({ kind }) => kind)}::text[]) as wanted (kind)
      cross join lateral (
        select due.workspace_id from due_workspaces as due
        where due.kind = wanted.kind and due.due_at <= ${clock.iso(now)}
          and due.workspace_id not in (select test.workspace_id from test)
        order by due.due_at, due.workspace_id limit ${workspaces_max}) as page`,
  )
  const by_kind = Map.groupBy(found, ({ kind }) => kind)
  return new Map(by_kind.entries().map(([kind, rows]) => [kind, rows.map(({ workspace_id }) => workspace_id)]))
}

interface Wanted {
  kind: DueKind
  workspaces: string[]
  now: number
}

/** Of a sharded database some workspaces may be out of reach: the others count. Fails if none could be read. */
async function readBacklog(db: Db, wanted: Wanted): Promise<{ backlog: Backlog; errors: unknown[] }> {
  const { kind, now } = wanted
  let due = 0
  let oldest = now
  const errors: unknown[] = []
  const statements = selectWaiting(db, wanted)
  for (const waiting of statements) {
    try {
      const found = await db.one<{ due: number; oldest: string | null }>(
        sql`select count(*) as due, min(due_at) as oldest from (${waiting}) as waiting`,
      )
      due += found.due
      oldest = Math.min(oldest, found.oldest === null ? now : clock.parse(found.oldest))
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0 && errors.length === statements.length) throw errors[0]
  const lag_seconds = Math.floor((now - oldest) / clock.second_ms)
  return { backlog: { kind: kind.kind, due: Math.min(due, items_max), lag_seconds }, errors }
}

/** A sharded database takes no statement that looks into each workspace of a list. */
function selectWaiting(db: Db, { kind, workspaces, now }: Wanted): Sql[] {
  const limit = Math.min(items_max, Math.ceil(read_max / workspaces.length))
  if (workspaces.length === 0) return []
  if (db.isSharded())
    return workspaces.slice(0, sharded_workspaces_max).map((workspace) => kind.selectWaiting({ workspace, now, limit }))
  return [
    sql`select each_workspace.due_at from unnest(${workspaces}::uuid[]) as one (workspace_id)
      cross join lateral (${kind.selectWaiting({ workspace: raw('one.workspace_id'), now, limit })}) as each_workspace`,
  ]
}
