import * as clock from '../clock.ts'
import { selectFromEach, unionAll } from '../postgres/citus/tenants.ts'
import type { Db } from '../postgres/pool.ts'
import { type Sql, sql } from '../postgres/sql.ts'
import type { DueKind } from './due.ts'

/**
 * At most this many due workspaces are looked at for a kind of work: the more there are, the fewer items of each are
 * counted.
 */
const workspaces_max = 5_000
const read_max = 100_000
/** Items of a kind are counted up to this many. */
export const items_max = 10_000

/** Items of one kind of background work that wait in live workspaces: the time of other workspaces stands still. */
export interface Backlog {
  kind: string
  /** The number of due items, up to `items_max`. */
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
 * One statement finds the workspaces, and one counts the items of all kinds there, so that a busy pool is waited for twice only. A
 * sharded database is asked for each workspace alone. `backlogs` has the kinds that could be read, even if not everywhere.
 */
export async function readBacklogs(
  db: Db,
  { kinds, test_times }: BacklogOptions,
): Promise<{ backlogs: Backlog[]; errors: unknown[] }> {
  const now = db.time()
  const due = await dueWorkspaces(db, { kinds, test_times, now })
  const backlogs = new Map(kinds.flatMap(({ kind }) => (due.has(kind) ? [] : [[kind, noBacklog(kind)] as const])))
  const errors: unknown[] = []
  const counts = kinds.flatMap((kind) => countWaiting(db, { kind, workspaces: due.get(kind.kind) ?? [], now }))
  for (const statement of unionAll(db, counts)) {
    try {
      for (const counted of await db.many<Counted>(statement)) {
        const before = backlogs.get(counted.kind) ?? noBacklog(counted.kind)
        backlogs.set(counted.kind, sumUp(before, counted, db.time()))
      }
    } catch (error) {
      errors.push(error)
    }
  }
  return { backlogs: kinds.flatMap(({ kind }) => backlogs.get(kind) ?? []), errors }
}

interface Counted {
  kind: string
  due: number
  oldest: string | null
}

const noBacklog = (kind: string): Backlog => ({ kind, due: 0, lag_seconds: 0 })

/** Adds what was counted. The lag ends when the count was read, which takes seconds on a busy database. */
function sumUp({ kind, due, lag_seconds }: Backlog, counted: Counted, now: number): Backlog {
  const lag = counted.oldest === null ? 0 : Math.floor((now - clock.parse(counted.oldest)) / clock.second_ms)
  return { kind, due: Math.min(due + counted.due, items_max), lag_seconds: Math.max(lag_seconds, lag) }
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

function countWaiting(db: Db, { kind, workspaces, now }: Wanted): Sql[] {
  if (workspaces.length === 0) return []
  const limit = Math.min(items_max, Math.ceil(read_max / workspaces.length))
  const selects = selectFromEach(db, workspaces, (workspace) => kind.selectWaiting({ workspace, now, limit }))
  return selects.map(
    (waiting) =>
      sql`select ${kind.kind}::text as kind, count(*) as due, min(due_at) as oldest from (${waiting}) as waiting`,
  )
}
