import { laterUpdate } from '../../conversations/store.ts'
import type { At } from '../../kit/at.ts'
import * as clock from '../../kit/clock.ts'
import { sql } from '../../kit/postgres/sql.ts'
import * as counts from '../counts.ts'
import { is_waiting } from '../enrollment-status.ts'
import type { Candidate } from '../plan/candidate.ts'
import type { Plan } from '../plan/plan.ts'

/** The dialer looks at them again then. */
export async function writeDeferred({ db, workspace, now }: At, deferred: Plan<Candidate>['defer']): Promise<void> {
  if (deferred.length === 0) return
  await db.run(
    sql`update enrollments set due_at = row.until, next_attempt_at = row.until, updated_at = ${laterUpdate(now)}
      from unnest(${deferred.map(({ candidate }) => candidate.id)}::uuid[],
        ${deferred.map(({ until }) => clock.iso(until))}::timestamptz[]) as row (id, until)
      where enrollments.workspace_id = ${workspace} and enrollments.id = row.id
        and ${is_waiting}`,
  )
}

/** No attempt follows. */
export async function writeFinished(at: At, campaign_id: string, finished: Plan<Candidate>['finish']): Promise<void> {
  if (finished.length === 0) return
  const { db, workspace, now } = at
  const changed = await db.many<{ id: string }>(
    sql`update enrollments set status = row.status, reason = row.reason, due_at = null, next_attempt_at = null,
        callback_at = null, updated_at = ${laterUpdate(now)}
      from unnest(${finished.map(({ candidate }) => candidate.id)}::uuid[], ${finished.map(({ status }) => status)}::text[],
        ${finished.map(({ reason }) => reason)}::text[]) as row (id, status, reason)
      where enrollments.workspace_id = ${workspace} and enrollments.id = row.id
        and ${is_waiting}
      returning enrollments.id`,
  )
  const ids = new Set(changed.map(({ id }) => id))
  await counts.count(
    at,
    finished.flatMap(({ candidate, status }) =>
      ids.has(candidate.id) ? [{ campaign_id, counted: 'status' as const, from: candidate.status, to: status }] : [],
    ),
  )
}
