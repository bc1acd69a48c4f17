import type { At } from '../kit/at.ts'
import { type CountChange, slottedCounts } from '../kit/postgres/slotted-counts.ts'
import { type Sql, sql } from '../kit/postgres/sql.ts'
import type { EnrollmentStatus } from './schema.ts'
import type { AttemptOutcome } from './settings.ts'

/** A change of a count. Enrollments are counted by status, and attempts by outcome. */
export type Change = { campaign_id: string } & (
  | ({ counted: 'status' } & CountChange<EnrollmentStatus>)
  | ({ counted: 'outcome' } & CountChange<AttemptOutcome>)
)

export const { count } = slottedCounts<Change>('campaign_counts', {
  keys: { campaign_id: 'uuid', counted: 'text' },
  value: { name: 'value', type: 'text' },
})

/** Adds the column `counts` to a selection from `campaigns`. */
export const joinCounts = (workspace: Sql): Sql =>
  sql`cross join lateral (
    select jsonb_build_object('enrolled', coalesce(sum(total), 0),
      'by_status', coalesce(jsonb_object_agg(value, total), '{}')) as counts
    from (select value, sum(total) as total from campaign_counts
      where campaign_counts.workspace_id = ${workspace} and campaign_id = campaigns.id and counted = 'status'
      group by value having sum(total) <> 0) as by_status) as counted`

export type Counts = Record<string, number>

/** Reads how many enrollments have each status, or attempts each outcome. */
export async function read(
  { db, workspace }: At,
  { campaign_id, counted }: { campaign_id: string; counted: Change['counted'] },
): Promise<Counts> {
  const rows = await db.many<{ value: string; total: number }>(
    sql`select value, sum(total)::bigint as total from campaign_counts
      where workspace_id = ${workspace} and campaign_id = ${campaign_id} and counted = ${counted}
      group by value having sum(total) <> 0 order by value`,
  )
  return Object.fromEntries(rows.map(({ value, total }) => [value, total]))
}

export const sumOf = (counts: Counts): number => Object.values(counts).reduce((sum, total) => sum + total, 0)
