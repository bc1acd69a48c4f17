import type { ChangedCall } from '../../calls/store.ts'
import { findCallOf } from '../../calls/store.ts'
import type { ThreadChange } from '../../conversations/store.ts'
import type { CallbackRequest } from '../../drivers/callbacks.ts'
import type { At } from '../../kit/at.ts'
import * as clock from '../../kit/clock.ts'
import { raw, sql, toArrayLiteral } from '../../kit/postgres/sql.ts'
import * as messages from '../../messages/withdraw.ts'
import { attempts_ended, withKeys } from '../counted.ts'
import * as counts from '../counts.ts'
import { type LastColumn, setCallback, setInProgress, updateEnded } from '../enrollment-rows.ts'
import { is_attempting } from '../enrollment-status.ts'
import type { Candidate, EndedAttempt } from '../plan/candidate.ts'
import { afterAttempt, isReached } from '../plan/retry.ts'
import { wakeAt } from '../rows.ts'
import type { Enrollment } from '../schema.ts'
import type { AttemptOutcome } from '../settings.ts'
import { readRetries } from '../stored-campaign.ts'
import * as attempts from './attempts.ts'

/** An attempt that has ended. Its id is that of the call or the conversation. */
export interface Ended extends EndedAttempt {
  id: string
  campaign_id: string
  /** The outcome with which the attempt had ended before: only the outcome is corrected. */
  refined_from?: AttemptOutcome | null
}

/** Changes enrollments when their calls are answered or end. Runs in the transaction of the call. */
export async function followCalls(at: At, changes: ChangedCall[]): Promise<void> {
  const of_campaigns = changes.filter(({ call }) => call.campaign_id !== null)
  if (of_campaigns.length === 0) return
  const answered = of_campaigns.filter(({ is_answered_now, is_ended_now }) => is_answered_now && !is_ended_now)
  await endAttempts(
    at,
    of_campaigns.flatMap(({ call, is_ended_now, refined_from, is_opt_out }) =>
      is_ended_now || refined_from !== null
        ? [
            {
              id: call.id,
              campaign_id: call.campaign_id ?? '',
              is_opt_out,
              refined_from,
              ended_at: clock.parse(call.ended_at ?? call.updated_at),
              outcome: call.outcome ?? 'unknown',
              is_interrupted: call.end_reason === 'system_error',
            },
          ]
        : [],
    ),
  )
  await markInProgress(
    at,
    'last_call_id',
    answered.map(({ call }) => call.id),
  )
}

/** A message that nobody has replied to for this long has reached the contact. */
const reply_within_ms = 24 * 60 * 60_000

const outcome_of_thread = {
  failed: 'undelivered',
  unknown: 'unknown',
  replied: 'replied',
  opted_out: 'replied',
  closed: 'error',
} as const

/** Changes enrollments when their conversations by SMS go on or end. */
export async function followThreads(at: At, changes: ThreadChange[]): Promise<void> {
  if (changes.length === 0) return
  const happened = (await lockAttempted(at, changes)).flatMap((row) => changesOf(row, changes))
  const sent = happened.flatMap(({ row, what }) => (what === 'sent' ? [row.id] : []))
  await markInProgress(at, 'last_conversation_id', sent, at.now + reply_within_ms)
  const closed = happened.flatMap(({ row, what }) => (what === 'closed' ? [row.id] : []))
  // The agent may end the conversation with its first words, which are still sent: the attempt doesn't end then.
  const written = await messages.findWritten(at, closed)
  const ended = new Map(
    happened.flatMap(({ row: { id, campaign_id }, what }): [string, Ended][] => {
      if (what === 'sent' || (what === 'closed' && written.has(id))) return []
      const outcome = outcome_of_thread[what]
      return [[id, { id, campaign_id, outcome, ended_at: at.now, is_opt_out: what === 'opted_out' }]]
    }),
  )
  await endAttempts(at, [...ended.values()], 'last_conversation_id')
  // The conversation is closed, because nothing has reached the contact, and an open one would hold up the next
  // attempt.
  await messages.closeOpen(
    at,
    happened.flatMap(({ row, what }) => (what === 'failed' ? [row.id] : [])),
  )
}

interface AttemptedEnrollment {
  /** The id of the conversation. */
  id: string
  campaign_id: string
  contact_id: string
  status: 'dialing' | 'in_progress'
}

/** Matches changes with an attempt. Someone who writes in another conversation also replies to this one. */
const changesOf = (
  row: AttemptedEnrollment,
  changes: ThreadChange[],
): { row: AttemptedEnrollment; what: ThreadChange['what'] }[] =>
  changes.flatMap(({ id, contact_id, what }) =>
    id === row.id || (row.status === 'in_progress' && contact_id === row.contact_id) ? [{ row, what }] : [],
  )

async function lockAttempted({ db, workspace }: At, changes: ThreadChange[]): Promise<AttemptedEnrollment[]> {
  const ids = changes.map(({ id }) => id)
  const contact_ids = changes.flatMap(({ contact_id }) => contact_id ?? [])
  return db.many<AttemptedEnrollment>(
    sql`select last_conversation_id as id, campaign_id, contact_id, status from enrollments
      where workspace_id = ${workspace} and ${is_attempting}
        and (last_conversation_id = any(${toArrayLiteral(ids)}::uuid[])
          or contact_id = any(${toArrayLiteral(contact_ids)}::uuid[]) and last_conversation_id is not null)
      order by enrollments.id for no key update`,
  )
}

const ended_at_once_max = 1_000

/**
 * Ends attempts by SMS to which nobody has replied in time. Enrollments that are locked are left out: someone is
 * replying.
 */
export async function endUnanswered(at: At, campaign_id: string): Promise<void> {
  const { db, workspace, now } = at
  const rows = await db.many<{ id: string }>(
    sql`select last_conversation_id as id from enrollments
      where workspace_id = ${workspace} and campaign_id = ${campaign_id} and due_at <= ${clock.iso(now)}
        and status = 'in_progress'
      order by due_at, rank, id limit ${ended_at_once_max} for no key update skip locked`,
  )
  const ended = { campaign_id, outcome: 'delivered' as const, ended_at: now, is_opt_out: false }
  await endAttempts(
    at,
    rows.map(({ id }) => ({ id, ...ended })),
    'last_conversation_id',
  )
}

/**
 * Keeps the time at which someone has asked to be called again. The campaign does so when the present call has ended.
 */
export async function keepCallback(at: At, { conversation_id, at: callback_at }: CallbackRequest): Promise<void> {
  const call_id = await findCallOf(at, conversation_id)
  if (call_id === undefined) return
  await setCallback(at, call_id, callback_at)
}

/** Marks attempts as in progress: the contact can be spoken to, or the carrier has the message. */
async function markInProgress(at: At, column: LastColumn, ids: string[], due_at?: number): Promise<void> {
  if (ids.length === 0) return
  const changed = await setInProgress(at, column, ids, due_at)
  // The campaign is woken, because there is room for another message.
  if (due_at !== undefined)
    await wakeAt(
      at,
      changed.map(({ campaign_id }) => ({ campaign_id, time: at.now })),
    )
  await counts.count(
    at,
    changed.map(({ campaign_id }) => ({ campaign_id, counted: 'status', from: 'dialing', to: 'in_progress' })),
  )
}

interface Row extends Pick<Enrollment, 'id' | 'campaign_id' | 'status'>, Pick<Candidate, 'attempts' | 'outcomes'> {
  attempt_id: string
  callback_at: string | null
  retry_at: string | null
  updated_at: string
}

/** Records how attempts ended, and when the next ones follow. Enrollments of deleted contacts are gone. */
export async function endAttempts(at: At, ended: Ended[], column: LastColumn = 'last_call_id'): Promise<void> {
  if (ended.length === 0) return
  const { db, workspace } = at
  const by_id = new Map(ended.map((one) => [one.id, one]))
  const [rows, retries, completed_before] = await Promise.all([
    db.many<Row>(
      sql`select id, campaign_id, status, attempts, outcomes, callback_at, retry_at, updated_at,
          ${raw(column)} as attempt_id
        from enrollments
        where workspace_id = ${workspace} and ${raw(column)} = any(${toArrayLiteral([...by_id.keys()])}::uuid[])
          and ${is_attempting}
        order by id for no key update`,
    ),
    readRetries(at, [...new Set(ended.map(({ campaign_id }) => campaign_id))]),
    findCompleted(
      at,
      column,
      ended.flatMap(({ id, refined_from }) => (refined_from ? [id] : [])),
    ),
  ])
  const changes = rows.flatMap((row) => {
    const one = by_id.get(row.attempt_id)
    const campaign = retries.get(row.campaign_id)
    if (!one || !campaign) return []
    const callback_at = askedFor(row)
    const after = afterAttempt(campaign, { ...row, callback_at }, { ...one, callback_at })
    const is_stopped = campaign.status === 'canceled' && after.status === 'waiting'
    return [{ row, one, after: is_stopped ? { ...after, ...stopped } : after }]
  })
  // The campaign is locked before anything is counted, as the dialer does.
  await wakeAt(
    at,
    ended.map(({ campaign_id, ended_at }) => ({ campaign_id, time: ended_at })),
  )
  const [began] = await Promise.all([
    attempts.end(at, ended),
    updateEnded(at, changes.map(toRow)),
    counts.count(at, [
      ...changes.map(({ row, after }) => ({
        campaign_id: row.campaign_id,
        counted: 'status' as const,
        from: row.status,
        to: after.status,
      })),
      ...ended.map(({ campaign_id, outcome, refined_from = null }) => ({
        campaign_id,
        counted: 'outcome' as const,
        from: refined_from,
        to: outcome,
      })),
    ]),
  ])
  const completed = new Set(changes.flatMap(({ one, after }) => (after.status === 'completed' ? [one.id] : [])))
  const counted = ended.flatMap(({ id, campaign_id, outcome, refined_from = null }) => {
    const began_at = began.get(id)
    if (began_at === undefined) return []
    const is_completed = completed_before.has(id)
    const before = refined_from && { outcome: refined_from, is_reached: isReached(refined_from), is_completed }
    return [
      { id, campaign_id, outcome, refined_from: before, at: began_at, is_completed: is_completed || completed.has(id) },
    ]
  })
  await at.hooks.run(at, attempts_ended, await withKeys(at, counted))
}

/** Finds the attempts that have completed their enrollments. */
async function findCompleted({ db, workspace }: At, column: LastColumn, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db.many<{ id: string }>(
    sql`select ${raw(column)} as id from enrollments
      where workspace_id = ${workspace} and ${raw(column)} = any(${toArrayLiteral(ids)}::uuid[]) and status = 'completed'`,
  )
  return new Set(rows.map(({ id }) => id))
}

/**
 * Returns the callback that the contact has asked for in this attempt. An earlier callback was the reason for the
 * attempt.
 */
function askedFor({ callback_at, retry_at }: Row): number | undefined {
  if (callback_at === null) return undefined
  const time = clock.parse(callback_at)
  return retry_at !== null && time <= clock.parse(retry_at) ? undefined : time
}

/** The next state of an enrollment whose campaign was canceled, so that no attempt follows. */
const stopped = { status: 'canceled' as const, reason: 'canceled', next_attempt_at: undefined, callback_at: undefined }

interface EnrollmentChange {
  row: Row
  one: Ended
  after: ReturnType<typeof afterAttempt>
}

const toRow = ({ row, one, after }: EnrollmentChange) => ({
  id: row.id,
  status: after.status,
  reason: after.reason ?? null,
  outcomes: after.outcomes,
  last_outcome: after.last_outcome,
  next_attempt_at: clock.isoOptional(after.next_attempt_at),
  due_at: clock.isoOptional(after.next_attempt_at),
  retry_at: clock.isoOptional(after.next_attempt_at),
  callback_at: clock.isoOptional(after.callback_at),
  updated_at: clock.laterThan(row.updated_at, one.ended_at),
})
