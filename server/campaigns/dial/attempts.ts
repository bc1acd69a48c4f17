import type { At } from '../../kit/at.ts'
import * as clock from '../../kit/clock.ts'
import { copyLine } from '../../kit/postgres/copy.ts'
import { sql } from '../../kit/postgres/sql.ts'
import type { Explanation } from '../explain-schema.ts'
import { recent_max, recent_ms } from '../plan/breaker.ts'
import type { EndedAttempt } from '../plan/candidate.ts'
import type { Kind } from '../schema.ts'
import type { AttemptOutcome } from '../settings.ts'

/** An attempt to reach someone. */
export interface NewAttempt {
  /** The id of the call or the conversation. */
  id: string
  campaign_id: string
  enrollment_id: string
  attempt: number
  phone_hmac: Buffer
  at: number
  /** How the attempt has ended, if that is known already. */
  ended?: EndedAttempt
}

const columns = [
  'workspace_id',
  'id',
  'campaign_id',
  'enrollment_id',
  'attempt',
  'phone_hmac',
  'at',
  'ended_at',
  'outcome',
  'is_opt_out',
]

export async function insert({ db, workspace }: At, attempts: NewAttempt[]): Promise<void> {
  if (attempts.length === 0) return
  const lines = attempts.map(({ id, campaign_id, enrollment_id, attempt, phone_hmac, at, ended }) =>
    copyLine([
      workspace,
      id,
      campaign_id,
      enrollment_id,
      attempt,
      `\\x${phone_hmac.toString('hex')}`,
      clock.iso(at),
      ended ? clock.iso(ended.ended_at) : null,
      ended?.outcome ?? null,
      ended?.is_opt_out ?? false,
    ]),
  )
  await db.copy('campaign_attempts', columns, lines.join(''))
}

export interface AttemptEnd extends EndedAttempt {
  id: string
}

/** Corrects the outcome of attempts that had ended. Returns when they began. */
export async function end({ db, workspace }: At, ends: AttemptEnd[]): Promise<Map<string, number>> {
  if (ends.length === 0) return new Map()
  const ended = await db.many<{ id: string; at: string }>(
    sql`update campaign_attempts set ended_at = row.ended_at, outcome = row.outcome, is_opt_out = row.is_opt_out,
        is_interrupted = row.is_interrupted
      from unnest(${ends.map(({ id }) => id)}::uuid[], ${ends.map(({ ended_at }) => clock.iso(ended_at))}::timestamptz[],
        ${ends.map(({ outcome }) => outcome)}::text[], ${ends.map(({ is_opt_out }) => is_opt_out)}::boolean[],
        ${ends.map(({ is_interrupted = false }) => is_interrupted)}::boolean[])
        as row (id, ended_at, outcome, is_opt_out, is_interrupted)
      where campaign_attempts.workspace_id = ${workspace} and campaign_attempts.id = row.id
      returning campaign_attempts.id, at`,
  )
  return new Map(ended.map(({ id, at }) => [id, clock.parse(at)]))
}

/** Reads the last attempts of a campaign that have ended, in order. They count for the circuit breaker. */
export async function readRecent({ db, workspace, now }: At, campaign_id: string): Promise<EndedAttempt[]> {
  const rows = await db.many<{
    ended_at: string
    outcome: AttemptOutcome
    is_opt_out: boolean
    is_interrupted: boolean
  }>(
    sql`select ended_at, outcome, is_opt_out, is_interrupted from campaign_attempts
      where workspace_id = ${workspace} and campaign_id = ${campaign_id} and ended_at > ${clock.iso(now - recent_ms)}
        and ended_at <= ${clock.iso(now)}
      order by ended_at desc, id desc limit ${recent_max}`,
  )
  return rows.map((row) => ({ ...row, ended_at: clock.parse(row.ended_at) })).reverse()
}

/** Reads the attempts of a test workspace that have ended in the future. */
export async function readLater({ db, workspace, now }: At, campaign_id: string): Promise<EndedAttempt[]> {
  const rows = await db.many<{
    ended_at: string
    outcome: AttemptOutcome
    is_opt_out: boolean
    is_interrupted: boolean
  }>(
    sql`select ended_at, outcome, is_opt_out, is_interrupted from campaign_attempts
      where workspace_id = ${workspace} and campaign_id = ${campaign_id} and ended_at > ${clock.iso(now)}`,
  )
  return rows.map((row) => ({ ...row, ended_at: clock.parse(row.ended_at) }))
}

/** Counts the attempts of a campaign that go on. In a test workspace some begin and end ahead of the clock. */
export async function countInFlight({ db, workspace, now }: At, campaign_id: string): Promise<number> {
  const { total } = await db.one<{ total: number }>(
    sql`select (select count(*) from campaign_attempts
        where workspace_id = ${workspace} and campaign_id = ${campaign_id} and ended_at is null
          and at <= ${clock.iso(now)})
      + (select count(*) from campaign_attempts
        where workspace_id = ${workspace} and campaign_id = ${campaign_id} and ended_at > ${clock.iso(now)}
          and at <= ${clock.iso(now)}) as total`,
  )
  return total
}

const listed_max = 100

/** Lists the attempts of an enrollment, first to last. */
export async function listOf(
  { db, workspace }: At,
  { enrollment_id, kind }: { enrollment_id: string; kind: Kind },
): Promise<Explanation['attempts']> {
  const rows = await db.many<{
    id: string
    attempt: number
    at: string
    ended_at: string | null
    outcome: string | null
  }>(
    sql`select id, attempt, at, ended_at, outcome from campaign_attempts
      where workspace_id = ${workspace} and enrollment_id = ${enrollment_id} order by attempt limit ${listed_max}`,
  )
  return rows.map(({ id, ...attempt }) => ({
    ...attempt,
    call_id: kind === 'voice' ? id : null,
    conversation_id: kind === 'sms' ? id : null,
  }))
}
