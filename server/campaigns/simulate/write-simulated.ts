import type { At } from '../../kit/at.ts'
import * as clock from '../../kit/clock.ts'
import { sql } from '../../kit/postgres/sql.ts'
import * as counts from '../counts.ts'
import type { DueEnrollment } from '../dial/candidates.ts'
import { updateSimulated } from '../enrollment-rows.ts'
import type { Result } from './simulation.ts'

interface SimulatedEnrollments {
  campaign_id: string
  changed: DueEnrollment[]
  results: Result[]
}

/**
 * Locks enrollments until the transaction ends. Returns false if someone has changed or deleted one since it was read.
 */
export async function lockUnchanged({ db, workspace }: At, read: DueEnrollment[]): Promise<boolean> {
  const rows = await db.many<{ id: string; updated_at: string }>(
    sql`select id, updated_at from enrollments
      where workspace_id = ${workspace} and id = any(${read.map(({ id }) => id)}::uuid[]) order by id for no key update`,
  )
  const now = new Map(rows.map(({ id, updated_at }) => [id, clock.parse(updated_at)]))
  return read.every(({ id, read_updated_at }) => now.get(id) === read_updated_at)
}

/** Writes locked enrollments as they are after a simulation. */
export async function writeSimulated(at: At, { campaign_id, changed, results }: SimulatedEnrollments): Promise<void> {
  if (changed.length === 0) return
  await Promise.all([
    updateSimulated(at, changed.map(toRow)),
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

const toRow = (one: DueEnrollment) => ({
  id: one.id,
  status: one.status,
  attempts: one.attempts,
  outcomes: one.outcomes,
  last_outcome: one.last_outcome,
  reason: one.reason ?? null,
  last_call_id: one.last_call_id ?? null,
  // Enrollments at which the dialer never looked are due since the epoch.
  next_attempt_at: one.due_at === 0 ? null : clock.isoOptional(one.due_at),
  retry_at: clock.isoOptional(one.next_attempt_at),
  callback_at: clock.isoOptional(one.callback_at),
  due_at: clock.isoOptional(one.due_at),
  updated_at: clock.iso(Math.max(one.read_updated_at, one.updated_at)),
})
