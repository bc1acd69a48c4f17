import type { At } from '../kit/at.ts'
import { type Sql, sql } from '../kit/postgres/sql.ts'
import { type Status, statuses } from './schema.ts'

/** Each count is the sum of this many rows. Transactions that write to different rows don't wait for each other. */
const slots = 16

/** A call that is created comes from `null`, and one that is deleted goes to it. */
export interface StatusChange {
  from: Status | null
  to: Status | null
}

/** Runs in the transaction that changes the calls. */
export async function count({ db, workspace }: At, changes: StatusChange[]): Promise<void> {
  const totals = new Map<Status, number>()
  const add = (status: Status | null, change: number) =>
    status && totals.set(status, (totals.get(status) ?? 0) + change)
  for (const { from, to } of changes) {
    add(from, -1)
    add(to, 1)
  }
  const changed = [...totals].filter(([, change]) => change !== 0).sort(([left], [right]) => (left < right ? -1 : 1))
  if (changed.length === 0) return
  await db.run(
    sql`insert into call_counts (workspace_id, status, slot, total)
      select ${workspace}, status, ${Math.floor(Math.random() * slots)}, change
      from unnest(${changed.map(([status]) => status)}::text[], ${changed.map(([, change]) => change)}::bigint[])
        as row (status, change)
      on conflict (workspace_id, status, slot) do update set total = call_counts.total + excluded.total`,
  )
}

/** Of all statuses, or of one. */
export const selectTotal = (workspace: string, status: Status | undefined): Sql =>
  sql`select coalesce(sum(total), 0)::bigint as total from call_counts
    where workspace_id = ${workspace} and status = any(${status ? [status] : statuses}::text[])`
