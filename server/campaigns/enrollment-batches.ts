import type { At } from '../kit/at.ts'
import { sql } from '../kit/postgres/sql.ts'
import * as counts from './counts.ts'
import * as rows from './enrollment-rows.ts'
import { is_waiting } from './enrollment-status.ts'
import { endReview, lockAndWake, wakeForRest } from './rows.ts'
import type { StoredCampaign } from './stored-campaign.ts'

/** These functions apply a change of a campaign to its enrollments, some at a time. */

const changed_at_once_max = 2_000

/** Ends enrollments of a canceled campaign, except those in progress. Returns whether there are more. */
export async function cancelSome(at: At, { id: campaign_id }: StoredCampaign): Promise<boolean> {
  const canceled = await rows.cancelSome(at, campaign_id, changed_at_once_max)
  await counts.count(
    at,
    canceled.map((from) => ({ campaign_id, counted: 'status', from, to: 'canceled' })),
  )
  const has_more = canceled.length === changed_at_once_max
  if (!has_more) await wakeForRest(at, campaign_id)
  return has_more
}

/** Lets the dialer look again at enrollments that wait, because hours or limits have changed. */
export async function reviewSome(at: At, { id }: StoredCampaign): Promise<void> {
  const reviewed = await rows.reviewSome(at, id, changed_at_once_max)
  if (reviewed < changed_at_once_max) await endReview(at, id)
}

/**
 * Lets the dialer look again at enrollments of contacts whose time has changed, in all campaigns. The campaigns are
 * locked before the enrollments, as the dialer does, so that what it has decided by the earlier time is looked at
 * again, too. The contacts are locked already, so the dialer must not wait for them.
 */
export async function reviewContacts(at: At, contact_ids: string[]): Promise<void> {
  const { db, workspace } = at
  const found = await db.many<{ campaign_id: string }>(
    sql`select distinct campaign_id from enrollments
      where workspace_id = ${workspace} and contact_id = any(${contact_ids}::uuid[]) and ${is_waiting}`,
  )
  if (found.length === 0) return
  await lockAndWake(
    at,
    found.map(({ campaign_id }) => campaign_id),
  )
  await rows.reviewOfContacts(at, contact_ids)
}
