import type { At } from '../../kit/at.ts'
import * as clock from '../../kit/clock.ts'
import { sql } from '../../kit/postgres/sql.ts'
import { is_attempting, is_waiting } from '../enrollment-status.ts'
import type { StoredCampaign } from '../stored-campaign.ts'

export interface NextDue {
  /** When the dialer must look at an enrollment. Enrollments that wait are also looked at when the campaign ends. */
  due_at: number | undefined
  /** When the next attempt ends. It is known in test workspaces only. */
  attempt_ends_at: number | undefined
  /** Whether attempts go on whose end is not known, or contacts are still being enrolled. */
  is_open: boolean
}

interface Row extends Pick<NextDue, 'is_open'> {
  due_at: string | null
  attempt_ends_at: string | null
  is_some_waiting: boolean
}

export async function nextDue(
  { db, workspace, now }: At,
  { id: campaign_id, ends_at = Number.POSITIVE_INFINITY }: Pick<StoredCampaign, 'id' | 'ends_at'>,
): Promise<NextDue> {
  const { due_at, attempt_ends_at, is_some_waiting, is_open } = await db.one<Row>(
    sql`select (select min(due_at) from enrollments
        where workspace_id = ${workspace} and campaign_id = ${campaign_id} and due_at is not null) as due_at,
      (select min(ended_at) from campaign_attempts
        where workspace_id = ${workspace} and campaign_id = ${campaign_id} and ended_at > ${clock.iso(now)}) as attempt_ends_at,
      exists (select from enrollments where workspace_id = ${workspace} and campaign_id = ${campaign_id}
        and ${is_waiting}) as is_some_waiting,
      exists (select from enrollments where workspace_id = ${workspace} and campaign_id = ${campaign_id}
        and ${is_attempting})
      or exists (select from campaign_enrollings where workspace_id = ${workspace} and campaign_id = ${campaign_id}
        and due_at is not null) as is_open`,
  )
  const next = clock.parseOptional(due_at)
  return {
    due_at: next !== undefined && is_some_waiting ? Math.min(next, ends_at) : next,
    attempt_ends_at: clock.parseOptional(attempt_ends_at),
    is_open,
  }
}
