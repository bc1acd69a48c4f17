import { table as conversations_topic, joinSummary } from '../conversations/store.ts'
import type { At, InWorkspace } from '../kit/at.ts'
import { isId } from '../kit/id.ts'
import { batchedGetById } from '../kit/postgres/get-by-id.ts'
import { raw, type Sql, sql } from '../kit/postgres/sql.ts'
import { notFound } from '../kit/problem.ts'
import type { Fact } from './facts.ts'
import type { Call } from './schema.ts'

/** Also the kind of due work, and the topic of notifications. */
export const table = 'calls'

/** Of `calls` with `joinConversation`. */
export const columns =
  raw(`id, direction, status, outcome, end_reason, ended_by, from_number as "from", to_number as "to",
  contact_id, conversation_id, agent_id, agent_name,
  jsonb_build_object('id', version_id, 'version_label', version_label) as agent_version, channel_id, campaign_id, attempt,
  scheduled_at, started_at, answered_at, ended_at, duration_ms, results, summary, turn_count,
  jsonb_build_object('status', recording_status,
    'duration_ms', case when recording_status = 'ready' then duration_ms end, 'format', recording_format) as recording,
  jsonb_build_object('turn_p50_ms', turn_p50_ms, 'turn_p95_ms', turn_p95_ms) as latency,
  jsonb_build_object('input_tokens', input_tokens, 'output_tokens', output_tokens) as usage, cost_micros, metadata, is_test,
  redacted_at, created_at, updated_at`)

/** The summary of a call is its conversation's. */
export const joinConversation = (workspace: Sql): Sql => joinSummary(workspace, raw('conversation_id'))

const getById = batchedGetById<Call>(columns, raw(table), joinConversation)

export async function get({ db, workspace }: At, id: string): Promise<Call> {
  const found = isId(id) ? await getById(db, workspace, id) : undefined
  if (!found) throw notFound()
  return found
}

/** With what clients don't see. */
export interface LockedCall extends Call {
  variables: Record<string, string | number | boolean>
  simulate: string | null
  facts: Fact[]
  request: Request | null
  due_at: string | null
  /** By the database's time. Until then another process drives the call. */
  lease_until: string | null
  lease_token: string | null
  last_save: string | null
}

export type Request = 'cancel' | 'hang_up' | 'agent_deleted'

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
    sql`select ${columns}, variables, simulate, facts, request, due_at, lease_until, lease_token, last_save
      from calls ${joinConversation(sql`${workspace}`)} where workspace_id = ${workspace} and ${where}
      order by id limit ${limit} for no key update of calls`,
  )

/** As in the list, and in events. */
export const toCall = ({
  variables: _variables,
  simulate: _simulate,
  facts: _facts,
  request: _request,
  due_at: _due_at,
  lease_until: _lease_until,
  lease_token: _lease_token,
  last_save: _last_save,
  ...call
}: LockedCall): Call => call

/** What someone wants of a call that this process drives. */
export async function readRequest({ db, workspace }: InWorkspace, id: string): Promise<Request | null> {
  const found = await db.maybe<{ request: Request | null }>(
    sql`select request from calls where workspace_id = ${workspace} and id = ${id}`,
  )
  return found?.request ?? null
}

/** The topic of notifications that someone wants something of a call. */
export const requests = 'call_requests'

/** After the commit, the process that drives the call looks at it. */
export function announceRequest(at: At, call: Pick<Call, 'id' | 'conversation_id'>): void {
  at.db.notify({ topic: requests, workspace: at.workspace, id: call.id })
  announce(at, call)
}

/** After the commit, whoever follows or waits for the call looks at it, and a worker dials it if it is due. */
export function announce(
  { db, workspace }: At,
  { id, conversation_id }: Pick<Call, 'id' | 'conversation_id'>,
  is_due = true,
): void {
  db.notify({ topic: table, workspace, id, is_due })
  // The call drives its conversation.
  if (conversation_id !== null) db.notify({ topic: conversations_topic, workspace, id: conversation_id, is_due: false })
}
