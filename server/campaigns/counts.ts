import type { At } from '../kit/at.ts'
import { type Sql, sql } from '../kit/postgres/sql.ts'
import type { EnrollmentStatus } from './schema.ts'
import type { AttemptOutcome } from './settings.ts'

/** Each count is the sum of this many rows. Transactions that write to different rows don't wait for each other. */
const slots = 16

/** What begins comes from `null`, and what is deleted goes to it. */
export type CountChange = { campaign_id: string } & (
  | { counted: 'status'; from: EnrollmentStatus | null; to: EnrollmentStatus | null }
  | { counted: 'outcome'; from: AttemptOutcome | null; to: AttemptOutcome | null }
)

interface Total {
  campaign_id: string
  counted: CountChange['counted']
  value: string
  change: number
}

/** Counts enrollments by status and attempts by outcome, in the transaction that changes them. */
export async function count({ db, workspace }: At, changes: CountChange[]): Promise<void> {
  const changed = sumUp(changes)
  if (changed.length === 0) return
  await db.run(
    sql`insert into campaign_counts as kept (workspace_id, campaign_id, counted, value, slot, total)
      select ${workspace}, campaign_id, counted, value, ${Math.floor(Math.random() * slots)}, change
      from unnest(${changed.map(({ campaign_id }) => campaign_id)}::uuid[],
        ${changed.map(({ counted }) => counted)}::text[], ${changed.map(({ value }) => value)}::text[],
        ${changed.map(({ change }) => change)}::bigint[]) as row (campaign_id, counted, value, change)
      on conflict (workspace_id, campaign_id, counted, value, slot) do update set total = kept.total + excluded.total`,
  )
}

/** Sorts them, so that concurrent transactions lock the rows in the same order. */
function sumUp(changes: CountChange[]): Total[] {
  const totals = new Map<string, Total>()
  const add = ({ campaign_id, counted }: CountChange, value: string | null, change: number) => {
    if (value === null) return
    const key = `${campaign_id} ${counted} ${value}`
    const total = totals.get(key) ?? { campaign_id, counted, value, change: 0 }
    total.change += change
    totals.set(key, total)
  }
  for (const change of changes) {
    add(change, change.from, -1)
    add(change, change.to, 1)
  }
  return [...totals]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([, total]) => (total.change === 0 ? [] : total))
}

/** Adds the column `counts` to a selection from `campaigns`. */
export const joinCounts = (workspace: Sql): Sql =>
  sql`cross join lateral (
    select jsonb_build_object('enrolled', coalesce(sum(total), 0),
      'by_status', coalesce(jsonb_object_agg(value, total), '{}')) as counts
    from (select value, sum(total) as total from campaign_counts
      where campaign_counts.workspace_id = ${workspace} and campaign_id = campaigns.id and counted = 'status'
      group by value having sum(total) <> 0) as by_status) as counted`

export type Counts = Record<string, number>

/** How many enrollments have each status, or attempts each outcome. */
export async function read(
  { db, workspace }: At,
  { campaign_id, counted }: { campaign_id: string; counted: CountChange['counted'] },
): Promise<Counts> {
  const rows = await db.many<{ value: string; total: number }>(
    sql`select value, sum(total)::bigint as total from campaign_counts
      where workspace_id = ${workspace} and campaign_id = ${campaign_id} and counted = ${counted}
      group by value having sum(total) <> 0 order by value`,
  )
  return Object.fromEntries(rows.map(({ value, total }) => [value, total]))
}

export const sumOf = (counts: Counts): number => Object.values(counts).reduce((sum, total) => sum + total, 0)
