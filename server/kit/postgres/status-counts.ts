import type { At } from '../at.ts'
import { raw, type Sql, sql } from './sql.ts'

/** Each count is the sum of this many rows. Transactions that write to different rows don't wait for each other. */
const slots = 16

/** What begins comes from `null`, and what is deleted goes to it. */
export interface StatusChange<Status> {
  from: Status | null
  to: Status | null
}

interface StatusCounts<Status> {
  /** Runs in the transaction that changes the rows. */
  count: (at: At, changes: StatusChange<Status>[]) => Promise<void>
  /** Counts rows of all statuses, or of one. */
  selectTotal: (workspace: string, status: Status | undefined) => Sql
}

/** How many rows there are, by status, kept in a table with the columns `workspace_id`, `status`, `slot` and `total`. */
export function statusCounts<Status extends string>(name: string, statuses: readonly Status[]): StatusCounts<Status> {
  const table = raw(name)
  return {
    async count({ db, workspace }, changes) {
      const totals = new Map<Status, number>()
      const add = (status: Status | null, change: number) =>
        status && totals.set(status, (totals.get(status) ?? 0) + change)
      for (const { from, to } of changes) {
        add(from, -1)
        add(to, 1)
      }
      // Sorted, so that concurrent transactions lock the rows in the same order.
      const changed = [...totals]
        .filter(([, change]) => change !== 0)
        .sort(([left], [right]) => (left < right ? -1 : 1))
      if (changed.length === 0) return
      await db.run(
        sql`insert into ${table} as counted (workspace_id, status, slot, total)
          select ${workspace}, status, ${Math.floor(Math.random() * slots)}, change
          from unnest(${changed.map(([status]) => status)}::text[], ${changed.map(([, change]) => change)}::bigint[])
            as row (status, change)
          on conflict (workspace_id, status, slot) do update set total = counted.total + excluded.total`,
      )
    },
    selectTotal: (workspace, status) =>
      sql`select coalesce(sum(total), 0)::bigint as total from ${table}
        where workspace_id = ${workspace} and status = any(${status ? [status] : statuses}::text[])`,
  }
}
