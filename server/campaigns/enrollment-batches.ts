import { laterUpdate } from '../conversations/store.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { type Sql, sql } from '../kit/postgres/sql.ts'
import * as counts from './counts.ts'
import { is_waiting } from './enrollment-status.ts'
import { endReview, lockAndWake, wakeForRest } from './rows.ts'
import type { EnrollmentStatus } from './schema.ts'
import type { StoredCampaign } from './stored-campaign.ts'

/** What a change of a campaign means for its enrollments, some at a time. */

const changed_at_once_max = 2_000

/** Ends enrollments of a canceled campaign, but those that are in progress. Returns whether there are more. */
export async function cancelSome(at: At, { id: campaign_id }: StoredCampaign): Promise<boolean> {
  const { db, workspace, now } = at
  const canceled = await db.many<{ id: string; before: EnrollmentStatus }>(
    sql`select id, status as before from enrollments
      where workspace_id = ${workspace} and campaign_id = ${campaign_id} and ${is_waiting}
      order by id limit ${changed_at_once_max} for no key update`,
  )
  // Not joined with the rows above: with old statistics, PostgreSQL would read all enrollments for each of them.
  await db.run(
    sql`update enrollments set status = 'canceled', reason = 'canceled', due_at = null, next_attempt_at = null,
        callback_at = null, updated_at = ${laterUpdate(now)}
      where workspace_id = ${workspace} and id = any(${canceled.map(({ id }) => id)}::uuid[])`,
  )
  await counts.count(
    at,
    canceled.map(({ before }) => ({ campaign_id, counted: 'status', from: before, to: 'canceled' })),
  )
  const has_more = canceled.length === changed_at_once_max
  if (!has_more) await wakeForRest(at, campaign_id)
  return has_more
}

/** Lets the dialer look again at enrollments that wait, because hours or limits have changed. */
export async function reviewSome(at: At, { id }: StoredCampaign): Promise<void> {
  const { db, workspace, now } = at
  const reviewed = await db.run(
    sql`update enrollments set due_at = greatest(retry_at, ${clock.iso(now)})
      where workspace_id = ${workspace} and id = any(array(
        select id from enrollments
        where workspace_id = ${workspace} and campaign_id = ${id} and ${isDeferred(now)}
        limit ${changed_at_once_max} for no key update))`,
  )
  if (reviewed < changed_at_once_max) await endReview(at, id)
}

/** It waits for other reasons than its own retry or callback, such as the hours. */
const isDeferred = (now: number): Sql =>
  sql`due_at > ${clock.iso(now)} and (retry_at is null or due_at > retry_at) and ${is_waiting}`

/**
 * The same for some contacts, whose time has changed, in all campaigns. The campaigns are locked before the enrollments, as the
 * dialer does: what one has decided by the time of before is looked at again, too. The contacts are locked already, so the dialer
 * must not wait for them.
 */
export async function reviewContacts(at: At, contact_ids: string[]): Promise<void> {
  const { db, workspace, now } = at
  const found = await db.many<{ campaign_id: string }>(
    sql`select distinct campaign_id from enrollments
      where workspace_id = ${workspace} and contact_id = any(${contact_ids}::uuid[]) and ${is_waiting}`,
  )
  if (found.length === 0) return
  await lockAndWake(
    at,
    found.map(({ campaign_id }) => campaign_id),
  )
  await db.run(
    sql`update enrollments set due_at = greatest(retry_at, ${clock.iso(now)}), updated_at = ${laterUpdate(now)}
      where workspace_id = ${workspace} and id = any(array(
        select id from enrollments
        where workspace_id = ${workspace} and contact_id = any(${contact_ids}::uuid[]) and ${isDeferred(now)}
        order by id for no key update))`,
  )
}
