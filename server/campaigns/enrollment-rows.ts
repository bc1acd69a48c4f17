import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { copyLine } from '../kit/postgres/copy.ts'
import { raw, type Sql, sql, toArrayLiteral } from '../kit/postgres/sql.ts'
import { laterUpdate, selectorOf, type Table, updaterOf } from '../kit/postgres/table.ts'
import { is_attempting, is_waiting } from './enrollment-status.ts'
import type { Candidate } from './plan/candidate.ts'
import type { Plan } from './plan/plan.ts'
import { Enrollment } from './schema.ts'

/** @internal */
export const table = {
  name: 'enrollments',
  columns: {
    id: 'uuid',
    campaign_id: 'uuid',
    contact_id: 'uuid',
    status: 'text',
    reason: 'text',
    attempts: 'integer',
    earlier_attempts: 'integer',
    outcomes: 'jsonb',
    last_outcome: 'text',
    last_call_id: 'uuid',
    last_conversation_id: 'uuid',
    next_attempt_at: 'timestamptz',
    retry_at: 'timestamptz',
    callback_at: 'timestamptz',
    variables: 'jsonb',
    rank: 'integer',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
    due_at: 'timestamptz',
  },
} satisfies Table<string>

/** The columns that clients see. */
export const columns = selectorOf<Enrollment, keyof typeof table.columns>(
  table,
  {},
)(Object.keys(Enrollment.properties) as (keyof Enrollment)[])

interface NewRow extends Pick<Enrollment, 'id' | 'campaign_id' | 'contact_id' | 'variables' | 'created_at'> {
  rank: number
}

const new_columns = [
  'id',
  'campaign_id',
  'contact_id',
  'status',
  'variables',
  'rank',
  'created_at',
  'updated_at',
  'due_at',
] as const

/** The due time of an enrollment at which the dialer has never looked. */
const never_looked_at = clock.iso(0)

export async function insertRows({ db, workspace }: At, rows: NewRow[]): Promise<void> {
  const lines = rows.map((row) => {
    const variables = JSON.stringify(row.variables)
    const values = { ...row, status: 'pending', variables, updated_at: row.created_at, due_at: never_looked_at }
    return copyLine([workspace, ...new_columns.map((column) => values[column])])
  })
  await db.copy(table.name, ['workspace_id', ...new_columns], lines.join(''))
}

/** Lets the dialer look again at up to `limit` enrollments of a campaign that wait for something. Returns their number. */
export const reviewSome = ({ db, workspace, now }: At, campaign_id: string, limit: number): Promise<number> =>
  db.run(
    sql`update enrollments set due_at = greatest(retry_at, ${clock.iso(now)})
      where workspace_id = ${workspace} and id = any(array(
        select id from enrollments
        where workspace_id = ${workspace} and campaign_id = ${campaign_id} and ${isDeferred(now)}
        limit ${limit} for no key update))`,
  )

/** Lets the dialer look again at the enrollments of some contacts, in all campaigns. */
export const reviewOfContacts = ({ db, workspace, now }: At, contact_ids: string[]): Promise<number> =>
  db.run(
    sql`update enrollments set due_at = greatest(retry_at, ${clock.iso(now)}), updated_at = ${laterUpdate(now)}
      where workspace_id = ${workspace} and id = any(array(
        select id from enrollments
        where workspace_id = ${workspace} and contact_id = any(${contact_ids}::uuid[]) and ${isDeferred(now)}
        order by id for no key update))`,
  )

/** A condition: the enrollment waits for other reasons than its own retry or callback, such as the hours. */
const isDeferred = (now: number): Sql =>
  sql`due_at > ${clock.iso(now)} and (retry_at is null or due_at > retry_at) and ${is_waiting}`

/** Defers enrollments until the dialer must look at them again. */
export async function deferRows({ db, workspace, now }: At, deferred: Plan<Candidate>['defer']): Promise<void> {
  if (deferred.length === 0) return
  await db.run(
    sql`update enrollments set due_at = row.until, next_attempt_at = row.until, updated_at = ${laterUpdate(now)}
      from unnest(${deferred.map(({ candidate }) => candidate.id)}::uuid[],
        ${deferred.map(({ until }) => clock.iso(until))}::timestamptz[]) as row (id, until)
      where enrollments.workspace_id = ${workspace} and enrollments.id = row.id
        and ${is_waiting}`,
  )
}

/** Ends enrollments that no attempt follows. Returns the ids of those that have changed: others wait no longer. */
export async function finishRows({ db, workspace, now }: At, finished: Plan<Candidate>['finish']) {
  const changed = await db.many<{ id: string }>(
    sql`update enrollments set status = row.status, reason = row.reason, due_at = null, next_attempt_at = null,
        callback_at = null, updated_at = ${laterUpdate(now)}
      from unnest(${finished.map(({ candidate }) => candidate.id)}::uuid[], ${finished.map(({ status }) => status)}::text[],
        ${finished.map(({ reason }) => reason)}::text[]) as row (id, status, reason)
      where enrollments.workspace_id = ${workspace} and enrollments.id = row.id
        and ${is_waiting}
      returning enrollments.id`,
  )
  return new Set(changed.map(({ id }) => id))
}

/** A column with the id of an attempt, which is that of its call or conversation. */
export type LastColumn = 'last_call_id' | 'last_conversation_id'

interface BegunAttempt {
  enrollment: { id: string }
  /** The id of the call or the conversation. */
  id: string
}

export const setDialing = ({ db, workspace, now }: At, column: LastColumn, begun: BegunAttempt[]): Promise<number> =>
  db.run(
    sql`update enrollments set status = 'dialing', attempts = attempts + 1, ${raw(column)} = row.attempt_id,
        next_attempt_at = null, due_at = null, updated_at = ${laterUpdate(now)}
      from unnest(${begun.map(({ enrollment }) => enrollment.id)}::uuid[], ${begun.map(({ id }) => id)}::uuid[]) as row (id, attempt_id)
      where enrollments.workspace_id = ${workspace} and enrollments.id = row.id`,
  )

/** Undoes attempts that were not made: the enrollments are as they were before. Returns their new statuses. */
export const takeBackDialing = ({ db, workspace, now }: At, column: LastColumn, attempt_ids: string[]) =>
  db.many<{ status: 'pending' | 'waiting' }>(
    sql`update enrollments set status = case when attempts > 1 then 'waiting' else 'pending' end, attempts = attempts - 1,
        ${raw(column)} = (select id from campaign_attempts as before
          where before.workspace_id = ${workspace} and before.enrollment_id = enrollments.id
            and before.attempt = enrollments.earlier_attempts + enrollments.attempts - 1),
        due_at = coalesce(retry_at, ${never_looked_at}), updated_at = ${laterUpdate(now)}
      where workspace_id = ${workspace} and ${raw(column)} = any(${toArrayLiteral(attempt_ids)}::uuid[]) and status = 'dialing'
      returning status`,
  )

/** Changes enrollments that are `dialing` to `in_progress`, and returns their campaigns. */
export const setInProgress = ({ db, workspace, now }: At, column: LastColumn, attempt_ids: string[], due_at?: number) =>
  db.many<{ campaign_id: string }>(
    sql`update enrollments set status = 'in_progress', due_at = ${clock.isoOptional(due_at)},
        updated_at = ${laterUpdate(now)}
      where workspace_id = ${workspace} and ${raw(column)} = any(${toArrayLiteral(attempt_ids)}::uuid[]) and status = 'dialing'
      returning campaign_id`,
  )

/** Sets the time at which the contact is called again, after the call that is in progress. */
export const setCallback = ({ db, workspace }: At, call_id: string, callback_at: string): Promise<number> =>
  db.run(
    sql`update enrollments set callback_at = ${callback_at}
      where workspace_id = ${workspace} and last_call_id = ${call_id} and ${is_attempting}`,
  )

const updateRows = updaterOf(table)
const outcome_columns = ['status', 'reason', 'outcomes', 'last_outcome'] as const
const time_columns = ['next_attempt_at', 'due_at', 'retry_at', 'callback_at', 'updated_at'] as const
const ended_columns = [...outcome_columns, ...time_columns] as const

type EndedEnrollment = Record<(typeof ended_columns)[number] | 'id', unknown>

/** Writes how attempts have ended, of enrollments that the transaction has locked. */
export const updateEnded = (at: At, rows: EndedEnrollment[]): Promise<void> => updateRows(at, rows, ended_columns)

/** Writes how simulated attempts have ended. An enrollment may have had several of them. */
export const updateSimulated = (
  at: At,
  rows: (EndedEnrollment & Record<'attempts' | 'last_call_id', unknown>)[],
): Promise<void> => updateRows(at, rows, [...ended_columns, 'attempts'], ['last_call_id'])

/** Cancels up to `limit` enrollments of a campaign that wait. Returns the statuses that they had. */
export async function cancelSome({ db, workspace, now }: At, campaign_id: string, limit: number) {
  const canceled = await db.many<{ id: string; before: Enrollment['status'] }>(
    sql`select id, status as before from enrollments
      where workspace_id = ${workspace} and campaign_id = ${campaign_id} and ${is_waiting}
      order by id limit ${limit} for no key update`,
  )
  // The update is not joined with the rows above: with old statistics, PostgreSQL would read all enrollments for each
  // of them.
  await db.run(
    sql`update enrollments set status = 'canceled', reason = 'canceled', due_at = null, next_attempt_at = null,
        callback_at = null, updated_at = ${laterUpdate(now)}
      where workspace_id = ${workspace} and id = any(${canceled.map(({ id }) => id)}::uuid[])`,
  )
  return canceled.map(({ before }) => before)
}

/**
 * Resets an enrollment, as if the contact had just been enrolled. The numbers of attempts go on, because each has its
 * own call.
 */
export const resetRow = (at: At, enrollment: Enrollment): Promise<Enrollment> =>
  updateRow(
    at,
    enrollment,
    sql`status = 'pending', reason = null, earlier_attempts = earlier_attempts + attempts, attempts = 0,
      outcomes = '{}', last_outcome = null, next_attempt_at = null, retry_at = null, callback_at = null,
      due_at = ${never_looked_at}`,
  )

export const skipRow = (at: At, enrollment: Enrollment): Promise<Enrollment> =>
  updateRow(
    at,
    enrollment,
    sql`status = 'skipped', reason = 'skipped', next_attempt_at = null, callback_at = null, due_at = null`,
  )

export const cancelRow = (at: At, enrollment: Enrollment): Promise<Enrollment> =>
  updateRow(
    at,
    enrollment,
    sql`status = 'canceled', reason = 'canceled', next_attempt_at = null, callback_at = null, due_at = null`,
  )

/** Updates an enrollment that the transaction has locked. */
const updateRow = ({ db, workspace, now }: At, { id, updated_at }: Enrollment, changes: Sql): Promise<Enrollment> =>
  db.one<Enrollment>(
    sql`update enrollments set ${changes}, updated_at = ${clock.laterThan(updated_at, now)}
      where workspace_id = ${workspace} and id = ${id} returning ${columns}`,
  )

export const deleteRow = ({ db, workspace }: At, id: string): Promise<number> =>
  db.run(sql`delete from enrollments where workspace_id = ${workspace} and id = ${id}`)

/** Deletes up to `limit` enrollments. Returns how many were deleted. */
export const deleteSome = ({ db, workspace }: At, campaign_id: string, limit: number): Promise<number> =>
  db.run(
    sql`delete from enrollments where workspace_id = ${workspace} and id = any(array(
      select id from enrollments where workspace_id = ${workspace} and campaign_id = ${campaign_id} limit ${limit}))`,
  )

export const deleteOfContacts = ({ db, workspace }: At, contact_ids: string[]) =>
  db.many<Pick<Enrollment, 'campaign_id' | 'status' | 'last_conversation_id'>>(
    sql`delete from enrollments where workspace_id = ${workspace} and id = any(array(
        select id from enrollments where workspace_id = ${workspace}
          and contact_id = any(${contact_ids}::uuid[]) order by id for update))
      returning campaign_id, status, last_conversation_id`,
  )
