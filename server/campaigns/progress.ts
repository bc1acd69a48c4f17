import * as events from '../events/store.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { sql } from '../kit/postgres/sql.ts'
import { type Counts, read as readCounts, sumOf } from './counts.ts'
import * as attempts from './dial/attempts.ts'
import { event_types } from './event-types.ts'
import { type Campaign, open_enrollment_statuses, type Progress } from './schema.ts'
import { get } from './store.ts'
import type { StoredCampaign } from './stored-campaign.ts'

const minute_ms = 60_000

export async function readProgress(at: At, id: string): Promise<Progress> {
  const campaign = await get(at, id)
  const [by_outcome, in_flight, starts_last_minute, last_due_at, not_enrolled] = await Promise.all([
    readCounts(at, { campaign_id: id, counted: 'outcome' }),
    attempts.countInFlight(at, id),
    countStarts(at, id),
    readLastDue(at, id),
    readNotEnrolled(at, id),
  ])
  const { by_status } = campaign.counts
  const expected_end_at = expectedEnd(campaign, { starts_last_minute, last_due_at, now: at.now })
  const total = sumOf(by_status)
  return { total, not_enrolled, by_status, by_outcome, in_flight, starts_last_minute, expected_end_at }
}

async function countStarts({ db, workspace, now }: At, id: string): Promise<number> {
  const { total } = await db.one<{ total: number }>(
    sql`select count(*) as total from campaign_attempts
      where workspace_id = ${workspace} and campaign_id = ${id} and at > ${clock.iso(now - minute_ms)}
        and at <= ${clock.iso(now)}`,
  )
  return total
}

/** Reads when the last enrollment that waits is looked at, as far as is known. */
async function readLastDue({ db, workspace }: At, id: string): Promise<number> {
  const { due_at } = await db.one<{ due_at: string | null }>(
    sql`select max(due_at) as due_at from enrollments
      where workspace_id = ${workspace} and campaign_id = ${id} and due_at is not null`,
  )
  return clock.parseOptional(due_at) ?? 0
}

async function readNotEnrolled({ db, workspace }: At, id: string): Promise<number> {
  const { not_enrolled } = await db.one<{ not_enrolled: number }>(
    sql`select not_enrolled from campaigns where workspace_id = ${workspace} and id = ${id}`,
  )
  return not_enrolled
}

interface ProgressFacts {
  starts_last_minute: number
  last_due_at: number
  now: number
}

/**
 * Estimates when everyone who is left will have been reached at the rate of the last minute, but not before the last
 * enrollment is due.
 */
function expectedEnd(campaign: Campaign, { starts_last_minute, last_due_at, now }: ProgressFacts): string | null {
  const { status, counts, pacing, ends_at } = campaign
  if (status !== 'running' || (starts_last_minute === 0 && last_due_at <= now)) return null
  const by_status: Counts = counts.by_status
  const left = open_enrollment_statuses.reduce((sum, one) => sum + (by_status[one] ?? 0), 0)
  // Without a start in the last minute, as at night, all wait until the last one is due, and the full rate counts from
  // then on.
  const [from, per_minute] =
    starts_last_minute > 0 ? [now, starts_last_minute] : [last_due_at, 60 * pacing.starts_per_second]
  const expected = Math.max(last_due_at, from + Math.ceil((left / per_minute) * minute_ms))
  return clock.iso(Math.min(expected, clock.parseOptional(ends_at) ?? expected))
}

/** Records the progress as an event, at most once a second. Returns the time if it was recorded. */
export async function recordProgress(at: At, campaign: StoredCampaign): Promise<number | undefined> {
  const { progress_at = Number.NEGATIVE_INFINITY, id } = campaign
  if (at.now < progress_at + clock.second_ms) return undefined
  await events.record(at, event_types.progress, [{ data: await get(at, id) }])
  return at.now
}
