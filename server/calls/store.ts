import * as channels from '../channels/store.ts'
import { findRefusals, type Rule } from '../consent/refusals.ts'
import { memberFaults } from '../conversations/begin.ts'
import { table as conversations_topic } from '../conversations/store.ts'
import * as events from '../events/store.ts'
import { type At, type InWorkspace, newHook, newTool, type Unscoped } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import type { ValidRequest } from '../kit/http/operation.ts'
import { isId } from '../kit/id.ts'
import type { Metric } from '../kit/metrics.ts'
import { batchedGetById } from '../kit/postgres/get-by-id.ts'
import * as page from '../kit/postgres/page.ts'
import type { Pool } from '../kit/postgres/pool.ts'
import { openRowWatch, type RowWatch } from '../kit/postgres/row-watch.ts'
import { raw, sql, toArrayLiteral } from '../kit/postgres/sql.ts'
import type { RowOf } from '../kit/postgres/table.ts'
import { invalid, notFound, preconditionFailed } from '../kit/problem.ts'
import type { Settings } from '../workspaces/schema.ts'
import { event_types } from './event-types.ts'
import { columns, joinConversation, lock, select, shownOf, updateMetadata } from './rows.ts'
import type { Call, CallChange, CallEvent } from './schema.ts'

/** The name of the table, of the kind of due work, and of the topic of notifications. */
export const table = 'calls'

const getById = batchedGetById(columns, raw(table), joinConversation)

export async function get({ db, workspace }: At, id: string): Promise<Call> {
  const found = isId(id) ? await getById(db, workspace, id) : undefined
  if (!found) throw notFound()
  return found
}

/** Calls in all workspaces that ring or are talked on, without simulated ones, for the operator. The index of calls in flight finds them. */
export async function countLive({ db }: Pick<Unscoped, 'db'>): Promise<number> {
  const { total } = await db.one<{ total: number }>(
    sql`select count(*) as total from calls where status in ('ringing', 'in_progress') and line is not null`,
  )
  return total
}

const asked = select(['request', 'facts'])

/** Reads what someone wants of a call that this process drives, and what others have written of it. */
export async function readAsked({ db, workspace }: InWorkspace, id: string): Promise<RowOf<typeof asked>> {
  const found = await asked.maybe(db, sql`from calls where workspace_id = ${workspace} and id = ${id}`)
  return found ?? { request: null, facts: [] }
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

type Snapshot = Pick<Call, 'id' | 'updated_at'>

export const callWatch = newTool<RowWatch<Snapshot>>()

export const openCallWatch = (pool: Pool): RowWatch<Snapshot> =>
  openRowWatch(pool, { table: table, columns: raw('id, updated_at') })

/** The call of a campaign that this conversation belongs to. */
export async function findCallOf({ db, workspace }: At, conversation_id: string): Promise<string | undefined> {
  const call = await db.maybe<{ id: string }>(
    sql`select id from calls
      where workspace_id = ${workspace} and conversation_id = ${conversation_id} and campaign_id is not null`,
  )
  return call?.id
}

/** An empty change doesn't even change `updated_at`. */
export async function update(
  at: At,
  { id, change, isCurrent }: { id: string; change: CallChange; isCurrent: ValidRequest['isCurrent'] },
): Promise<Call> {
  const before = shownOf(await lock(at, id))
  if (!isCurrent(before)) throw preconditionFailed()
  const faults = memberFaults(change)
  if (faults.length > 0) throw invalid(faults)
  const { metadata } = change
  if (metadata === undefined) return before
  const updated_at = clock.laterThan(before.updated_at, at.now)
  const after: Call = { ...before, metadata, updated_at }
  await Promise.all([
    updateMetadata(at, after),
    events.record(at, event_types.updated, [{ data: after, previous: { metadata: before.metadata } }]),
  ])
  announce(at, after)
  return after
}

/** What happened on the line, oldest first. */
export async function listEvents(
  at: At,
  { id, query }: { id: string; query: page.PageQuery },
): Promise<page.Page<CallEvent>> {
  const { db, workspace } = at
  await get(at, id)
  const selection = sql`select seq, kind, at, source, call_id as id from call_events
    where workspace_id = ${workspace} and call_id = ${id}`
  return page.readSelection<CallEvent & { id: string }>(db, query, by_seq, selection)
}

const by_seq: page.Sort = { name: 'seq', column: 'seq', is_descending: false, is_nullable: false, is_ordinal: true }

/** A call that has just changed. */
export interface ChangedCall {
  call: Call
  is_answered_now: boolean
  is_ended_now: boolean
  /** The outcome with which it had ended, if something that was learned later has changed it. */
  refined_from: Call['outcome']
  /** The person wants no more calls. */
  is_opt_out: boolean
}

/** Runs in the transaction that changes calls. */
export const changed = newHook<ChangedCall[]>('calls.changed')

/** What is counted of a call. */
export type CountedCall = Pick<
  Call,
  | 'id'
  | 'is_test'
  | 'started_at'
  | 'ended_at'
  | 'agent_id'
  | 'agent_version'
  | 'channel_id'
  | 'campaign_id'
  | 'outcome'
  | 'duration_ms'
  | 'latency'
  | 'cost_micros'
>

/** Runs in the transaction that writes calls which go on or end. A new one has `before` as it was inserted. */
export const written = newHook<{ before: CountedCall; after: CountedCall }[]>('calls.written')

const counted_columns = sql`id, is_test, started_at, ended_at, agent_id, channel_id, campaign_id, outcome, duration_ms, cost_micros,
  jsonb_build_object('id', version_id) as agent_version, jsonb_build_object('turn_p50_ms', turn_p50_ms) as latency`

/** Returns those of the calls that still exist. */
export const findCounted = async ({ db, workspace }: InWorkspace, ids: string[]): Promise<CountedCall[]> =>
  ids.length === 0
    ? []
    : db.many<CountedCall>(
        sql`select ${counted_columns} from calls where workspace_id = ${workspace} and id = any(${toArrayLiteral(ids)}::uuid[])`,
      )

export const calls_total: Metric = {
  name: 'calls_total',
  help: 'Calls that have ended.',
  type: 'counter',
  labels: ['status', 'outcome'],
}

/** Counts calls that the transaction has ended. What is learned of them later doesn't count. */
export const countEnded = ({ db, tools }: At, calls: Call[]): void =>
  db.afterCommit(() => {
    for (const { status, outcome } of calls) tools.metrics.add(calls_total, 1, status, outcome ?? 'unknown')
  })

const million = 1_000_000n
const minute_ms = 60_000n

/**
 * Returns the cost in millionths of the currency, rounded to the nearest. It is computed in whole numbers, so that it
 * is the same everywhere.
 */
export function costOf(
  { usage, duration_ms, speech_ms = 0 }: Pick<Call, 'usage' | 'duration_ms'> & { speech_ms?: number | undefined },
  prices: Settings['prices'],
): number {
  const tokens =
    BigInt(usage.input_tokens) * BigInt(prices.input_tokens_per_million) +
    BigInt(usage.output_tokens) * BigInt(prices.output_tokens_per_million)
  const minutes =
    BigInt(duration_ms ?? 0) * BigInt(prices.call_minute) + BigInt(Math.round(speech_ms)) * BigInt(prices.speech_minute)
  const parts = million * minute_ms
  return Number((tokens * minute_ms + minutes * million + parts / 2n) / parts)
}

/** What the agent has collected in these calls, by id. */
export async function readResults({ db, workspace }: At, ids: string[]): Promise<Map<string, Record<string, unknown>>> {
  if (ids.length === 0) return new Map()
  const rows = await select(['id', 'results']).many(
    db,
    sql`from calls where workspace_id = ${workspace} and id = any(${toArrayLiteral(ids)}::uuid[])`,
  )
  return new Map(rows.map(({ id, results }) => [id, results]))
}

/**
 * Until when calls with these numbers go on: Infinity when that is not known. Calls of a test workspace run ahead of its clock,
 * and go on until the time at which they have ended.
 */
export async function readOpenUntil({ db, workspace, now }: At, phone_numbers: string[]): Promise<Map<string, number>> {
  const open = await select(['to', 'ended_at']).many(
    db,
    sql`from calls
      where workspace_id = ${workspace} and to_number = any(${phone_numbers}::text[])
        and (status in ('queued', 'ringing', 'in_progress') or (is_test and ended_at > ${clock.iso(now)}))
      order by to_number, ended_at`,
  )
  return new Map(
    open.map(({ to, ended_at }) => [to ?? '', ended_at ? clock.parse(ended_at) : Number.POSITIVE_INFINITY]),
  )
}

const looked_at_max = 1_000
const looked_back_ms = 30 * clock.day_ms
const default_ms = 60_000

/** How long the calls of an agent that were answered took lately, on average. */
export async function averageAnswered({ db, workspace, now }: At, agent_id: string): Promise<number> {
  const { average } = await db.one<{ average: number | null }>(
    sql`select round(avg(duration_ms))::integer as average from (
      select duration_ms from calls
      where workspace_id = ${workspace} and agent_id = ${agent_id} and created_at > ${clock.iso(now - looked_back_ms)}
        and outcome = 'answered'
      order by created_at desc limit ${looked_at_max}) as answered`,
  )
  return average ?? default_ms
}

interface Recipient {
  to: string
  is_test: boolean
}

/** Why these numbers must not be called. Throws if that can't be known: then they must not be called either. */
export async function findRules(at: At, recipients: Recipient[]): Promise<(Rule | undefined)[]> {
  if (recipients.length === 0) return []
  const own_numbers = await channels.ownNumbers(at)
  const findFor = (is_test: boolean) => {
    const phone_numbers = recipients.flatMap((one) => (one.is_test === is_test ? [one.to] : []))
    return findRefusals(at, { kind: 'voice', phone_numbers, own_numbers, is_test })
  }
  const [live, test] = await Promise.all([findFor(false), findFor(true)])
  return recipients.map(({ to, is_test }) => (is_test ? test : live).get(to))
}
