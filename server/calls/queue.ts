import { type At, simulatesPeople } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { newId } from '../kit/id.ts'
import { sql } from '../kit/postgres/sql.ts'
import * as counts from './change/counts.ts'
import { endUnstarted } from './change/end.ts'
import {
  deleteQueued,
  initial_hidden,
  insertBroughtRow,
  insertRows,
  lockMany,
  type Row,
  select,
  waits_for_carrier,
} from './rows.ts'
import { announce } from './store.ts'

/** Attempts are counted up to this. */
const attempts_max = 100

type Beginning = Partial<Row> &
  Pick<Row, 'contact_id' | 'status' | 'attempt' | 'is_test'> & {
    agent: { id: string; name: string }
    version: { id: string | null; version_label: string }
    channel: { id: string; address: string | null } | null
    to: string | null
  }

/** Makes the row of a new call, which is due at once by default. */
export function newCall({ now }: At, { agent, version, channel, ...given }: Beginning): Row {
  const created_at = clock.iso(now)
  return {
    id: newId(),
    direction: 'outbound',
    outcome: null,
    end_reason: null,
    ended_by: null,
    campaign_id: null,
    scheduled_at: null,
    metadata: {},
    from: channel?.address ?? null,
    conversation_id: null,
    agent_id: agent.id,
    agent_name: agent.name,
    agent_version: { id: version.id, version_label: version.version_label },
    channel_id: channel?.id ?? null,
    started_at: null,
    answered_at: null,
    ended_at: null,
    duration_ms: null,
    results: {},
    summary: null,
    turn_count: 0,
    recording: { status: 'none', duration_ms: null, format: null },
    latency: { turn_p50_ms: null, turn_p95_ms: null },
    usage: { input_tokens: 0, output_tokens: 0 },
    cost_micros: 0,
    redacted_at: null,
    created_at,
    updated_at: created_at,
    ...initial_hidden,
    due_at: created_at,
    ...given,
  }
}

/** What carries the calls of a channel. */
export const lineOf = (at: At, channel: { provider: string } | null): Row['line'] =>
  !simulatesPeople(at) && channel?.provider === 'twilio' ? 'phone' : null

/** Inserts calls, which are dialled when they are due. */
export async function insert(at: At, rows: Row[]): Promise<void> {
  await Promise.all([
    insertRows(at, rows),
    counts.count(
      at,
      rows.map(({ status }) => ({ from: null, to: status })),
    ),
  ])
  for (const row of rows) announce(at, row)
}

/** Inserts a call that a carrier brings. Returns false if it is there already. */
export async function insertBrought(at: At, row: Row): Promise<boolean> {
  if ((await insertBroughtRow(at, row)) === 0) return false
  await counts.count(at, [{ from: null, to: row.status }])
  announce(at, row)
  return true
}

/** How many calls to this number there were before. */
export async function countEarlier({ db, workspace }: At, to: string): Promise<number> {
  const { total } = await db.one<{ total: number }>(
    sql`select count(*) as total from (
      select from calls where workspace_id = ${workspace} and to_number = ${to} limit ${attempts_max}) as earlier`,
  )
  return total
}

/** When the calls that go on in a test workspace end: Infinity when that is not known. */
export async function readEnds({
  db,
  workspace,
  now,
}: At): Promise<{ ended_at: number; campaign_id: string | null }[]> {
  const rows = await select(['ended_at', 'campaign_id']).many(
    db,
    sql`from calls
      where workspace_id = ${workspace}
        and (status in ('queued', 'ringing', 'in_progress') or (is_test and ended_at > ${clock.iso(now)}))`,
  )
  return rows.map(({ ended_at, campaign_id }) => ({
    campaign_id,
    ended_at: ended_at === null ? Number.POSITIVE_INFINITY : clock.parse(ended_at),
  }))
}

/**
 * Calls that are queued, ringing or in progress, counted up to a limit. Those of a test workspace run ahead of its clock, and
 * are in flight until the time at which they have ended.
 */
export async function countInFlight({ db, workspace, now }: At, limit: number): Promise<number> {
  const { total } = await db.one<{ total: number }>(
    sql`select count(*) as total from (
      select from calls where workspace_id = ${workspace}
        and (status in ('queued', 'ringing', 'in_progress') or (is_test and ended_at > ${clock.iso(now)}))
      limit ${limit}) as in_flight`,
  )
  return total
}

const ended_at_once_max = 1_000

/**
 * Removes calls of a campaign that were not dialled: all, or those that were to be dialled before now. A process that is about to
 * dial one finds that it is gone. Returns their ids.
 */
export async function withdraw(at: At, these: { campaign_id: string; which: 'all' | 'late' }): Promise<string[]> {
  const removed = await deleteQueued(at, these)
  await counts.count(
    at,
    removed.map(() => ({ from: 'queued' as const, to: null })),
  )
  return removed
}

/**
 * Ends calls of a campaign that the carrier had no time for and would be asked about again. They have begun for whoever follows them, so
 * they are not removed. Returns how many.
 */
export async function endWaiting(at: At, campaign_id: string): Promise<number> {
  const where = sql`campaign_id = ${campaign_id} and ${waits_for_carrier}`
  const waiting = await lockMany(at, { where, limit: ended_at_once_max })
  await endUnstarted(at, waiting, { end_reason: 'carrier_error', ended_by: 'system' })
  return waiting.length
}

/** Returns the ids of calls of a campaign that a carrier is being asked to dial, or will be asked again. */
export async function findDialing({ db, workspace }: At, campaign_id: string): Promise<string[]> {
  const dialing = await db.many<{ id: string }>(
    sql`select id from calls
      where workspace_id = ${workspace} and campaign_id = ${campaign_id}
        and ((is_dialing and lease_until > ${clock.iso(db.time())}) or (${waits_for_carrier}))`,
  )
  return dialing.map(({ id }) => id)
}
