import { joinSummary } from '../conversations/store.ts'
import type { TalkState } from '../drivers/driver.ts'
import type { At } from '../kit/at.ts'
import { isId } from '../kit/id.ts'
import { raw, type Sql, sql } from '../kit/postgres/sql.ts'
import { insertInto, selected, type Table, updaterOf } from '../kit/postgres/table.ts'
import { notFound } from '../kit/problem.ts'
import type { Fact } from './facts.ts'
import { Call } from './schema.ts'

/** What the process that drives a call writes each time. */
const saved = {
  status: 'text',
  outcome: 'text',
  end_reason: 'text',
  ended_by: 'text',
  conversation_id: 'uuid',
  started_at: 'timestamptz',
  answered_at: 'timestamptz',
  ended_at: 'timestamptz',
  duration_ms: 'integer',
  results: 'jsonb',
  turn_count: 'integer',
  recording_status: 'text',
  recording_format: 'text',
  turn_p50_ms: 'integer',
  turn_p95_ms: 'integer',
  input_tokens: 'integer',
  output_tokens: 'integer',
  cost_micros: 'bigint',
  facts: 'jsonb',
  state: 'jsonb',
  request: 'text',
  is_dialing: 'boolean',
  updated_at: 'timestamptz',
  due_at: 'timestamptz',
  lease_until: 'timestamptz',
  lease_token: 'uuid',
  claims: 'smallint',
  last_save: 'uuid',
}

export const table = {
  name: 'calls',
  columns: {
    id: 'uuid',
    direction: 'text',
    from_number: 'text',
    to_number: 'text',
    contact_id: 'uuid',
    agent_id: 'uuid',
    agent_name: 'text',
    version_id: 'uuid',
    version_label: 'text',
    channel_id: 'uuid',
    campaign_id: 'uuid',
    attempt: 'integer',
    scheduled_at: 'timestamptz',
    recording_deleted_at: 'timestamptz',
    recording_deleted_by: 'text',
    variables: 'jsonb',
    metadata: 'jsonb',
    is_test: 'boolean',
    simulate: 'text',
    contact_voice: 'text',
    search_text: 'text',
    redacted_at: 'timestamptz',
    created_at: 'timestamptz',
    dial_key: 'text',
    dial_before: 'timestamptz',
    leaves_voicemail: 'boolean',
    keeps_quiet_hours: 'boolean',
    ...saved,
  },
} satisfies Table<string>

type Column = keyof typeof table.columns
// The keys of these literals are those of their types.
const all_columns = Object.keys(table.columns) as Column[]
const saved_columns = Object.keys(saved) as (keyof typeof saved)[]

/** A call with what clients don't see. */
export interface Row extends Call {
  variables: Record<string, string | number | boolean>
  /** The simulated person that answers, if one was chosen. */
  simulate: string | null
  contact_voice: string | null
  /** The attempt of a campaign that the call makes. No attempt has two calls. */
  dial_key: string | null
  /** If it was not dialled by then, it is not dialled. */
  dial_before: string | null
  /** Whether the agent may leave its message when a voicemail answers. */
  leaves_voicemail: boolean
  /** Outside of the quiet hours it waits until they begin. */
  keeps_quiet_hours: boolean
  is_dialing: boolean
  facts: Fact[]
  state: CallState | null
  request: Request | null
  search_text: string | null
  due_at: string | null
  /** By the database's time. Until then another process drives the call. */
  lease_until: string | null
  lease_token: string | null
  claims: number
  last_save: string | null
}

export type Request = 'cancel' | 'hang_up' | 'agent_deleted'

/** Where a call of a test workspace is between two advances of the clock. */
export interface CallState extends TalkState {
  line: unknown
  /** The number that was dialled. The call doesn't have it any more when its contact was deleted. */
  to: string
  is_over: boolean
  /** The last turn that was looked at for words of people. */
  last_read_seq: number
  /** The turns of people that are spoken, by the reply that the line knows. */
  people?: Record<string, number>
}

// The same holds for a schema.
const call_members = Object.keys(Call.properties) as (keyof Call)[]

/** Of `calls` with `joinConversation`. */
export const columns = selected(table, {
  members: call_members,
  computed: {
    from: 'from_number',
    to: 'to_number',
    agent_version: `jsonb_build_object('id', version_id, 'version_label', version_label)`,
    recording: `jsonb_build_object('status', recording_status,
      'duration_ms', case when recording_status = 'ready' then duration_ms end, 'format', recording_format)`,
    latency: `jsonb_build_object('turn_p50_ms', turn_p50_ms, 'turn_p95_ms', turn_p95_ms)`,
    usage: `jsonb_build_object('input_tokens', input_tokens, 'output_tokens', output_tokens)`,
    summary: 'summary',
  },
})

/** The summary of a call is its conversation's. */
export const joinConversation = (workspace: Sql): Sql => joinSummary(workspace, raw('conversation_id'))

/** The opposite of `columns`. */
const valuesOf = <Shown extends Call>({ from, to, agent_version, recording, latency, usage, ...row }: Shown) => ({
  ...row,
  from_number: from,
  to_number: to,
  version_id: agent_version.id,
  version_label: agent_version.version_label,
  recording_status: recording.status,
  recording_format: recording.format,
  ...latency,
  ...usage,
})

/** Without what clients don't see. */
export const shownOf = (row: Call): Call =>
  // All members of a call are listed.
  Object.fromEntries(call_members.map((member) => [member, row[member]])) as Call

type Hidden = 'variables' | 'simulate' | 'facts' | 'request' | 'due_at' | 'lease_until' | 'lease_token'
export type LockedCall = Call & Pick<Row, Hidden | 'claims' | 'last_save'>

/** Locks the call until the transaction ends. */
export async function lock(at: At, id: string): Promise<LockedCall> {
  const [found] = isId(id) ? await lockMany(at, { where: sql`id = ${id}`, limit: 1 }) : []
  if (!found) throw notFound()
  return found
}

/** Locks calls in the order of their ids. */
export const lockMany = (
  { db, workspace }: At,
  { where, limit }: { where: Sql; limit: number },
): Promise<LockedCall[]> =>
  db.many<LockedCall>(
    sql`select ${columns}, variables, simulate, facts, request, due_at, lease_until, lease_token, claims, last_save
      from calls ${joinConversation(sql`${workspace}`)} where workspace_id = ${workspace} and ${where}
      order by id limit ${limit} for no key update of calls`,
  )

export async function insertRows({ db, workspace }: At, rows: Row[]): Promise<void> {
  if (rows.length === 0) return
  const never_recorded = { recording_deleted_at: null, recording_deleted_by: null }
  const values = rows.map((row) => ({ ...valuesOf(row), ...never_recorded }))
  await db.run(insertInto(table, { workspace, names: all_columns, rows: values }))
}

/** Writes these columns of calls that the transaction has locked. */
export const updateRows = updaterOf(table)

type Saved = Call & Pick<Row, (keyof typeof saved & keyof Row) | 'contact_voice' | 'search_text'>

/** Writes what a driver knows of calls that the transaction has locked. Where the voice or the words are null, they stay. */
export const saveRows = (at: At, rows: Saved[]): Promise<void> =>
  updateRows(at, rows.map(valuesOf), saved_columns, ['contact_voice', 'search_text'])
