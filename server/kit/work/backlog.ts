import * as clock from '../clock.ts'
import type { Db } from '../postgres/pool.ts'
import { type Sql, sql } from '../postgres/sql.ts'
import type { DueKind } from './due.ts'

/** Of these, noted as due, the work of a kind is looked at. */
const workspaces_max = 5_000
/** Items of a kind are counted up to this many. */
export const items_max = 10_000

/** What waits to be done of one kind of background work, in live workspaces: the time of others stands still. */
export interface Backlog {
  kind: string
  /** Up to `items_max`. */
  due: number
  /** The age of the oldest that was counted. 0 when nothing is due. */
  lag_seconds: number
}

interface BacklogOptions {
  kinds: DueKind[]
  /** Selects the `workspace_id` and `now` of test workspaces. */
  test_times: Sql
}

/** One statement finds the workspaces, and one for each kind counts its items there. `backlogs` has those that could be read. */
export async function readBacklogs(
  db: Db,
  { kinds, test_times }: BacklogOptions,
): Promise<{ backlogs: Backlog[]; errors: unknown[] }> {
  const now = db.time()
  const due = await dueWorkspaces(db, { kinds, test_times, now })
  const results = await Promise.allSettled(
    kinds.map((kind) => readBacklog(db, { kind, workspaces: due.get(kind.kind) ?? [], now })),
  )
  return {
    backlogs: results.flatMap((result) => (result.status === 'fulfilled' ? result.value : [])),
    errors: results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : [])),
  }
}

async function dueWorkspaces(
  db: Db,
  { kinds, test_times, now }: BacklogOptions & { now: number },
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

async function readBacklog(
  db: Db,
  { kind: { kind, selectWaiting }, workspaces, now }: { kind: DueKind; workspaces: string[]; now: number },
): Promise<Backlog> {
  if (workspaces.length === 0) return { kind, due: 0, lag_seconds: 0 }
  const { due, oldest } = await db.one<{ due: number; oldest: string | null }>(
    sql`select count(*) as due, min(due_at) as oldest
      from (${selectWaiting({ workspaces, now, limit: items_max })}) as waiting`,
  )
  return { kind, due, lag_seconds: oldest === null ? 0 : Math.floor((now - clock.parse(oldest)) / clock.second_ms) }
}
