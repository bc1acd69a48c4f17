import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { newId } from '../kit/id.ts'
import { rowsFrom, sql } from '../kit/postgres/sql.ts'
import * as counts from './counts.ts'
import type { Call } from './schema.ts'
import { announce } from './store.ts'

/** Attempts are counted up to this. */
const attempts_max = 100

interface Beginning
  extends Pick<Call, 'contact_id' | 'status' | 'scheduled_at' | 'campaign_id' | 'attempt' | 'metadata' | 'is_test'> {
  agent: { id: string; name: string }
  version: { id: string | null; version_label: string }
  channel: { id: string; address: string | null } | null
  to: string
}

export function newCall({ now }: At, beginning: Beginning): Call {
  const { agent, version, channel, ...given } = beginning
  const created_at = clock.iso(now)
  return {
    id: newId(),
    direction: 'outbound',
    ...given,
    outcome: null,
    end_reason: null,
    ended_by: null,
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
  }
}

export interface ToInsert {
  call: Call
  /** The simulated person that answers, if one was chosen. */
  simulate: string | null
  variables: Record<string, string | number | boolean>
  due_at: number
  /** The attempt of a campaign that the call makes. No attempt has two calls. */
  dial_key?: string
  /** Whether the agent may leave its message when a voicemail answers. */
  leaves_voicemail?: boolean
  /** If it was not dialled by then, it is not dialled. */
  dial_before?: number
  /** Outside of the quiet hours it waits until they begin. */
  keeps_quiet_hours?: boolean
}

/** They are dialled when they are due. */
export async function insert(at: At, all: ToInsert[]): Promise<void> {
  const { db, workspace } = at
  const rows = all.map(
    ({ call, simulate, variables, due_at, dial_key = null, leaves_voicemail = true, dial_before, ...one }) => ({
      ...call,
      ...{ dial_key, leaves_voicemail, dial_before: dial_before === undefined ? null : clock.iso(dial_before) },
      keeps_quiet_hours: one.keeps_quiet_hours ?? false,
      ...{ from_number: call.from, to_number: call.to, simulate, variables, due_at: clock.iso(due_at) },
      version_id: call.agent_version.id,
      version_label: call.agent_version.version_label,
    }),
  )
  await Promise.all([
    db.run(
      sql`insert into calls (workspace_id, id, direction, status, from_number, to_number, contact_id, agent_id, agent_name,
          version_id, version_label, channel_id, campaign_id, attempt, scheduled_at, variables, metadata, is_test, simulate,
          created_at, updated_at, due_at, dial_key, leaves_voicemail, dial_before, keeps_quiet_hours)
        select ${workspace}, id, direction, status, from_number, to_number, contact_id, agent_id, agent_name, version_id,
          version_label, channel_id, campaign_id, attempt, scheduled_at, variables, metadata, is_test, simulate, created_at,
          updated_at, due_at, dial_key, leaves_voicemail, dial_before, keeps_quiet_hours
        from ${rowsFrom(
          rows,
          `id uuid, direction text, status text, from_number text, to_number text, contact_id uuid, agent_id uuid,
          agent_name text, version_id uuid, version_label text, channel_id uuid, campaign_id uuid, attempt integer,
          scheduled_at timestamptz, variables jsonb, metadata jsonb, is_test boolean, simulate text,
          created_at timestamptz, updated_at timestamptz, due_at timestamptz, dial_key text,
          leaves_voicemail boolean, dial_before timestamptz, keeps_quiet_hours boolean`,
        )}`,
    ),
    counts.count(
      at,
      all.map(({ call }) => ({ from: null, to: call.status })),
    ),
  ])
  for (const { call } of all) announce(at, call)
}

/** Calls that were run ahead, with all that became of them. `row` has the columns that a save writes. */
export async function insertComplete({ db, workspace }: At, all: (ToInsert & { row: object })[]): Promise<void> {
  if (all.length === 0) return
  const rows = all.map(({ call, simulate, variables, dial_key = null, leaves_voicemail = true, row }) => ({
    ...row,
    ...{ from_number: call.from, to_number: call.to, simulate, variables, dial_key, leaves_voicemail },
    version_id: call.agent_version.id,
    version_label: call.agent_version.version_label,
  }))
  await db.run(
    sql`insert into calls (workspace_id, id, direction, status, outcome, end_reason, ended_by, from_number, to_number,
        contact_id, conversation_id, agent_id, agent_name, version_id, version_label, channel_id, campaign_id, attempt,
        scheduled_at, started_at, answered_at, ended_at, duration_ms, results, turn_count, recording_status,
        recording_format, turn_p50_ms, turn_p95_ms, input_tokens, output_tokens, cost_micros, variables, metadata, is_test,
        simulate, contact_voice, facts, state, search_text, created_at, updated_at, due_at, dial_key, leaves_voicemail)
      select ${workspace}, id, direction, status, outcome, end_reason, ended_by, from_number, to_number, contact_id,
        conversation_id, agent_id, agent_name, version_id, version_label, channel_id, campaign_id, attempt, scheduled_at,
        started_at, answered_at, ended_at, duration_ms, results, turn_count, recording_status, recording_format,
        turn_p50_ms, turn_p95_ms, input_tokens, output_tokens, cost_micros, variables, metadata, is_test, simulate,
        contact_voice, facts, state, search_text, created_at, updated_at, due_at, dial_key, leaves_voicemail
      from ${rowsFrom(
        rows,
        `id uuid, direction text, status text, outcome text, end_reason text, ended_by text, from_number text,
          to_number text, contact_id uuid, conversation_id uuid, agent_id uuid, agent_name text, version_id uuid,
          version_label text, channel_id uuid, campaign_id uuid, attempt integer, scheduled_at timestamptz,
          started_at timestamptz, answered_at timestamptz, ended_at timestamptz, duration_ms integer,
          results jsonb, turn_count integer, recording_status text, recording_format text, turn_p50_ms integer,
          turn_p95_ms integer, input_tokens integer, output_tokens integer, cost_micros bigint, variables jsonb,
          metadata jsonb, is_test boolean, simulate text, contact_voice text, facts jsonb, state jsonb,
          search_text text, created_at timestamptz, updated_at timestamptz, due_at timestamptz, dial_key text,
          leaves_voicemail boolean`,
      )}`,
  )
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
  const rows = await db.many<{ ended_at: string | null; campaign_id: string | null }>(
    sql`select ended_at, campaign_id from calls
      where workspace_id = ${workspace}
        and (status in ('queued', 'ringing', 'in_progress') or (is_test and ended_at > ${clock.iso(now)}))`,
  )
  return rows.map(({ ended_at, campaign_id }) => ({
    ...{ campaign_id, ended_at: ended_at === null ? Number.POSITIVE_INFINITY : clock.parse(ended_at) },
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
