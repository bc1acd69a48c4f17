import type { At } from '../../kit/at.ts'
import * as clock from '../../kit/clock.ts'
import { rowsFrom, sql } from '../../kit/postgres/sql.ts'
import * as counts from '../counts.ts'
import type { DueEnrollment } from '../dial/candidates.ts'
import type { Result } from './simulation.ts'

interface Simulated {
  campaign_id: string
  changed: DueEnrollment[]
  results: Result[]
}

/** Locks enrollments until the transaction ends. False if someone has changed or deleted one since it was read. */
export async function lockUnchanged({ db, workspace }: At, read: DueEnrollment[]): Promise<boolean> {
  const rows = await db.many<{ id: string; updated_at: string }>(
    sql`select id, updated_at from enrollments
      where workspace_id = ${workspace} and id = any(${read.map(({ id }) => id)}::uuid[]) order by id for no key update`,
  )
  const now = new Map(rows.map(({ id, updated_at }) => [id, clock.parse(updated_at)]))
  return read.every(({ id, read_updated_at }) => now.get(id) === read_updated_at)
}

/** Writes enrollments as they are after a simulation. They are locked. */
export async function writeSimulated(at: At, { campaign_id, changed, results }: Simulated): Promise<void> {
  if (changed.length === 0) return
  const { db, workspace } = at
  const rows = changed.map((one) => ({
    id: one.id,
    status: one.status,
    attempts: one.attempts,
    outcomes: one.outcomes,
    last_outcome: one.last_outcome,
    reason: one.reason ?? null,
    last_call_id: one.last_call_id ?? null,
    // Those that were never looked at are due since the epoch.
    next_attempt_at: one.due_at === 0 ? null : clock.isoOptional(one.due_at),
    retry_at: clock.isoOptional(one.next_attempt_at),
    callback_at: clock.isoOptional(one.callback_at),
    due_at: clock.isoOptional(one.due_at),
    updated_at: clock.isoOptional(one.updated_at),
  }))
  await Promise.all([
    db.run(
      sql`update enrollments set status = row.status, reason = row.reason, attempts = row.attempts, outcomes = row.outcomes,
          last_outcome = row.last_outcome, last_call_id = coalesce(row.last_call_id, enrollments.last_call_id),
          next_attempt_at = row.next_attempt_at, retry_at = row.retry_at, callback_at = row.callback_at, due_at = row.due_at,
          updated_at = greatest(enrollments.updated_at, row.updated_at)
        from ${rowsFrom(
          rows,
          `id uuid, status text, reason text, attempts integer, outcomes jsonb, last_outcome text,
          last_call_id uuid, next_attempt_at timestamptz, retry_at timestamptz, callback_at timestamptz,
          due_at timestamptz, updated_at timestamptz`,
        )}
        where enrollments.workspace_id = ${workspace} and enrollments.id = row.id`,
    ),
    counts.count(at, [
      ...changed.map(({ read_status, status }) => ({
        campaign_id,
        counted: 'status' as const,
        from: read_status,
        to: status,
      })),
      ...results.flatMap(({ ended_at, outcome }) =>
        Number.isFinite(ended_at) ? [{ campaign_id, counted: 'outcome' as const, from: null, to: outcome }] : [],
      ),
    ]),
  ])
}
