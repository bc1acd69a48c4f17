import type { Configuration } from '../agents/configuration.ts'
import { openKeys } from '../consent/person.ts'
import type { DeletedContact } from '../contacts/store.ts'
import { joinSummary } from '../conversations/store.ts'
import type { TalkState } from '../drivers/driver.ts'
import type { At, InWorkspace } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { isId } from '../kit/id.ts'
import { raw, rowsFrom, type Sql, sql, toArrayLiteral } from '../kit/postgres/sql.ts'
import {
  column,
  initialOf,
  insertInto,
  laterUpdate,
  nullable,
  type RowOf,
  type Selection,
  selectorOf,
  type Table,
  typesIn,
  updaterOf,
  type ValuesOf,
} from '../kit/postgres/table.ts'
import { notFound, type Use } from '../kit/problem.ts'
import { leaseEnd } from '../kit/work/lease.ts'
import { leaseRows, renewerOf } from '../kit/work/rows.ts'
import type { Fact } from './facts.ts'
import { Call } from './schema.ts'

/** Columns that clients don't see, and that the process which drives a call writes each time. */
const saved_hidden = {
  facts: column<Fact[]>('jsonb', []),
  state: nullable<CallState>('jsonb'),
  request: nullable<Request>('text'),
  /**
   * Whether a carrier is asked to dial. By telephone it stays true until someone talks, because the number was perhaps
   * dialled.
   */
  is_dialing: column('boolean', false),
  due_at: nullable<string>('timestamptz'),
  /** A process drives the call until then, by the database's time. */
  lease_until: nullable<string>('timestamptz'),
  lease_token: nullable<string>('uuid'),
  claims: column('smallint', 0),
  last_save: nullable<string>('uuid'),
  /** The configuration of a call with the agent's draft, until it is over. */
  draft: nullable<Configuration>('jsonb'),
  /** The hash of the token that opens the socket next. */
  socket_token: nullable<string>('text'),
  /** The hash of the token before, until the client has shown that it has the next one. */
  socket_token_before: nullable<string>('text'),
  /** A hash of the network of a visitor, until the call is over. */
  visitor_network: nullable<string>('text'),
  /** How much sound was recognised and spoken. */
  speech_ms: column('integer', 0),
}

/** Columns that clients don't see, and that the process which drives a call doesn't write each time. */
const other_hidden = {
  variables: column<Record<string, string | number | boolean>>('jsonb', {}),
  /** The simulated person that answers, if one was chosen. */
  simulate: nullable<string>('text'),
  contact_voice: nullable<string>('text'),
  search_text: nullable<string>('text'),
  /** The attempt of a campaign that the call makes. No attempt has two calls. */
  dial_key: nullable<string>('text'),
  /** A call that was not dialled by then is not dialled. */
  dial_before: nullable<string>('timestamptz'),
  /** Whether the agent may leave its message when a voicemail answers. */
  leaves_voicemail: column('boolean', true),
  /** Whether the call waits outside of the quiet hours until they begin. */
  keeps_quiet_hours: column('boolean', false),
  /** What carries the call. Null: the simulator. */
  line: nullable<'browser' | 'phone'>('text'),
  /** The only origin of pages that may open the socket. Null: any. */
  socket_origin: nullable<string>('text'),
  /** The carrier's own id of a call by telephone, once it is known. */
  carrier_id: nullable<string>('text'),
}

const hidden = { ...saved_hidden, ...other_hidden }
export const initial_hidden = initialOf(hidden)

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
  updated_at: 'timestamptz',
  ...typesIn(saved_hidden),
}

/** @internal */
export const table = {
  name: 'calls',
  columns: {
    id: 'uuid',
    direction: 'text',
    from_number: 'text',
    to_number: 'text',
    phone_hmac: 'bytea',
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
    metadata: 'jsonb',
    is_test: 'boolean',
    redacted_at: 'timestamptz',
    created_at: 'timestamptz',
    ...saved,
    ...typesIn(other_hidden),
  },
} satisfies Table<string>

type Column = keyof typeof table.columns
// The keys of these literals are those of their types.
const all_columns = Object.keys(table.columns) as Column[]
const saved_columns = Object.keys(saved) as (keyof typeof saved)[]

/** A call with what clients don't see. */
export interface Row extends Call, ValuesOf<typeof hidden> {}

/**
 * What whoever drives the call is asked to do. The last two are reports of the carrier while nobody has a stream: someone else has taken
 * the call over, or the contact has hung up.
 */
export type Request = 'cancel' | 'hang_up' | 'agent_deleted' | 'transferred' | 'contact_hung_up'

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

// The keys of a schema are those of its type.
const call_members = Object.keys(Call.properties) as (keyof Call)[]

/**
 * Columns whose values a call shows inside of other members. An update can return these columns, but no member that is
 * computed with functions that are not immutable.
 */
interface Inner {
  version_id: string | null
  version_label: string
  recording_status: Call['recording']['status']
}

/** Selects members of calls. Their summaries are in `joinConversation`. */
export const select = selectorOf<Row & Inner, Column>(table, {
  from: 'from_number',
  to: 'to_number',
  agent_version: `jsonb_build_object('id', version_id, 'version_label', version_label)`,
  recording: `jsonb_build_object('status', recording_status,
    'duration_ms', case when recording_status = 'ready' then duration_ms end, 'format', recording_format)`,
  latency: `jsonb_build_object('turn_p50_ms', turn_p50_ms, 'turn_p95_ms', turn_p95_ms)`,
  usage: `jsonb_build_object('input_tokens', input_tokens, 'output_tokens', output_tokens)`,
  summary: 'summary',
})

/** The members of a call, from `calls` with `joinConversation`. */
export const columns = select(call_members)

/** The summary of a call is its conversation's. */
export const joinConversation = (workspace: Sql): Sql => joinSummary(workspace, raw('conversation_id'))

/** Turns the members of a call into values of columns, as `columns` does the other way around. */
const valuesOf = <Shown extends Call>({ from, to, agent_version, recording, latency, usage, ...row }: Shown) => ({
  ...row,
  from_number: from,
  to_number: to,
  phone_hmac: null,
  version_id: agent_version.id,
  version_label: agent_version.version_label,
  recording_status: recording.status,
  recording_format: recording.format,
  ...latency,
  ...usage,
})

/** The number of the other side. */
export const counterpartOf = ({ direction, from, to }: Pick<Call, 'direction' | 'from' | 'to'>): string | null =>
  direction === 'inbound' ? from : to

/** Leaves out what clients don't see. */
export const shownOf = (row: Call): Call =>
  // All members of a call are listed.
  Object.fromEntries(call_members.map((member) => [member, row[member]])) as Call

const locked = select([
  ...call_members,
  'variables',
  'simulate',
  'facts',
  'request',
  'due_at',
  'lease_until',
  'lease_token',
  'claims',
  'last_save',
  'line',
  'is_dialing',
  'carrier_id',
  'draft',
  'socket_token',
  'socket_token_before',
  'visitor_network',
  'speech_ms',
])
export type LockedCall = RowOf<typeof locked>

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
  locked.many(
    db,
    sql`from calls ${joinConversation(sql`${workspace}`)} where workspace_id = ${workspace} and ${where}
      order by id limit ${limit} for no key update of calls`,
  )

export async function insertRows(at: At, rows: Row[]): Promise<void> {
  if (rows.length > 0) await at.db.run(insertion(at, rows))
}

/** Inserts the row of a call that a carrier brings. Returns 0 if another one has the carrier's id. */
export async function insertBroughtRow(at: At, row: Row): Promise<number> {
  const inserted = await at.db.many(
    sql`${insertion(at, [row])} on conflict (workspace_id, carrier_id) where carrier_id is not null do nothing
      returning id`,
  )
  return inserted.length
}

function insertion(at: At, rows: Row[]): Sql {
  const never_recorded = { recording_deleted_at: null, recording_deleted_by: null }
  const values = rows.map((row) => ({ ...valuesOf(row), ...never_recorded }))
  return insertInto(table, at, { names: all_columns, rows: values })
}

const updateRows = updaterOf(table)

type Saved = Call & Pick<Row, (keyof typeof saved & keyof Row) | 'contact_voice' | 'search_text'>

/**
 * Writes what a driver knows of calls that the transaction has locked. A null in `contact_voice` or `search_text`
 * leaves the stored value.
 */
export const saveRows = (at: At, rows: Saved[]): Promise<void> =>
  updateRows(at, rows.map(valuesOf), saved_columns, ['contact_voice', 'search_text'])

/** Columns that are not kept when a call is over. */
const over_columns = ['draft', 'socket_token', 'socket_token_before', 'visitor_network'] as const
export const no_socket: Pick<Row, (typeof over_columns)[number]> = {
  draft: null,
  socket_token: null,
  socket_token_before: null,
  visitor_network: null,
}

const ended_columns = [
  'status',
  'outcome',
  'end_reason',
  'ended_by',
  'ended_at',
  'facts',
  'updated_at',
  'request',
  'due_at',
  'lease_until',
  'lease_token',
  ...over_columns,
] as const
const no_lease: Pick<Row, 'lease_until' | 'lease_token'> = { lease_until: null, lease_token: null }

/**
 * Writes that calls were ended before they were dialled. The transaction has locked them. A process that is about to
 * dial one loses its lease.
 */
export const updateEnded = (
  at: At,
  rows: Pick<Row, Exclude<(typeof ended_columns)[number], keyof typeof no_socket | keyof typeof no_lease> | 'id'>[],
): Promise<void> =>
  updateRows(
    at,
    rows.map((row) => ({ ...row, ...no_socket, ...no_lease })),
    ended_columns,
  )

/** The call is locked. */
export const updateRequest = (at: At, row: Pick<Row, 'id' | 'request' | 'due_at'>): Promise<void> =>
  updateRows(at, [row], ['request', 'due_at'])

/** The call is locked. */
export const updateMetadata = (at: At, row: Pick<Row, 'id' | 'metadata' | 'updated_at'>): Promise<void> =>
  updateRows(at, [row], ['metadata', 'updated_at'])

/** Whether the call was certainly not dialled: not yet, or because the carrier had too much to do. */
export const isUndialed = ({
  started_at,
  line,
  carrier_id,
  is_dialing,
}: Pick<Row, 'started_at' | 'line' | 'carrier_id' | 'is_dialing'>): boolean =>
  started_at === null || (line === 'phone' && carrier_id === null && !is_dialing)

/** The carrier had too much to do, and will be asked again. */
export const waits_for_carrier = sql`status = 'queued' and started_at is not null and line = 'phone' and carrier_id is null
  and not is_dialing`

const on_line_max = 10

/** Some of the calls by telephone on this channel that ring, or that someone is in. */
export const findOnLine = ({ db, workspace }: At, channel_id: string): Promise<Use[]> =>
  db.many<Use>(
    sql`select 'call' as kind, id from calls
      where workspace_id = ${workspace} and channel_id = ${channel_id} and line = 'phone'
        and status in ('queued', 'ringing', 'in_progress') and (direction = 'inbound' or started_at is not null)
      order by id limit ${on_line_max}`,
  )

/** Leases due calls, and returns these columns of them. A due call always has a `due_at`. */
export const leaseDue = <Leased>(
  at: At,
  leases: { token: string; limit: number; returning: Selection<Leased> },
): Promise<(Leased & { due_at: string })[]> =>
  leaseRows<Leased & { due_at: string }>(at, {
    ...leases,
    table: table.name,
    counter: 'claims',
    where: sql`and (dial_before is null or started_at is not null or dial_before > ${clock.iso(at.now)})`,
  })

/** Renews leases. Rows that are being saved are left out, because a save renews their leases too. */
export const renewLeases = renewerOf<Pick<Row, 'id' | 'request'>>(table.name, 'id, request')

/** Calls that this process has leased. */
interface Held {
  ids: string[]
  token: string
}

const isHeld = (workspace: string, { ids, token }: Held): Sql =>
  sql`workspace_id = ${workspace} and id = any(${toArrayLiteral(ids)}::uuid[]) and lease_token = ${token}`

/** Begins scheduled calls. Returns how many. */
export const queueScheduled = ({ db, workspace, now }: At, held: Held): Promise<number> =>
  db.run(
    sql`update calls set status = 'queued', updated_at = ${laterUpdate(now)}
      where ${isHeld(workspace, held)} and status = 'scheduled'`,
  )

/** Ends leases. The calls are due at `due_at`. */
export const releaseUntil = ({ db, workspace }: At, held: Held, due_at: string): Promise<number> =>
  db.run(
    sql`update calls set due_at = ${due_at}, lease_token = null, lease_until = null, claims = 0
      where ${isHeld(workspace, held)}`,
  )

/** Ends the lease of a call that can't be driven here. Another process may take it at once. */
export const endLease = ({ db, workspace }: At, { id, token }: { id: string; token: string }): Promise<number> =>
  db.run(sql`update calls set lease_token = null, lease_until = null where ${isHeld(workspace, { ids: [id], token })}`)

/**
 * Ends leases, and schedules the calls for another time. Leaves out calls that have a `request` meanwhile.
 */
export const reschedule = (
  { db, workspace, now }: At,
  rows: { id: string; before: Call['status']; time: string }[],
  token: string,
) =>
  db.many<{ before: Call['status'] }>(
    sql`update calls set status = 'scheduled', scheduled_at = row.time, due_at = row.time, lease_token = null,
        lease_until = null, claims = 0, updated_at = ${laterUpdate(now)}
      from ${rowsFrom(rows, 'id uuid, before text, time timestamptz')}
      where calls.workspace_id = ${workspace} and calls.id = row.id and calls.status = row.before
        and lease_token = ${token} and request is null
      returning row.before`,
  )

/**
 * Makes the call of a conversation due now, unless it has ended. A call on a real line keeps its `due_at`, at which it
 * is only ended.
 */
export const setDue = ({ db, workspace, now }: At, conversation_id: string) =>
  db.many<Pick<Call, 'id' | 'conversation_id'>>(
    sql`update calls set due_at = case when line is null then least(due_at, ${clock.iso(now)}) else due_at end
      where workspace_id = ${workspace} and conversation_id = ${conversation_id} and ended_at is null
      returning id, conversation_id`,
  )

/** Asks the processes that drive calls of a deleted agent to end them. Calls that nobody drives are due now. */
export const endSoon = ({ db, workspace, now }: At, agent_id: string): Promise<number> =>
  db.run(
    sql`update calls set request = 'agent_deleted',
        due_at = case when lease_until > ${clock.iso(db.time())} then due_at else ${clock.iso(now)} end
      where workspace_id = ${workspace} and status in ('scheduled', 'queued', 'ringing', 'in_progress')
        and agent_id = ${agent_id}`,
  )

/**
 * Removes the contacts of calls, and their numbers. The keys that stand for the numbers are kept, as in conversations.
 */
export async function unlinkRows(at: At, { deleted, where }: { deleted: DeletedContact[]; where: Sql }) {
  const { db, workspace, now } = at
  const contact_ids = deleted.map(({ id }) => id)
  const numbers = deleted.map(({ phone_number }) => phone_number)
  const keys = numbers.map(await openKeys(at))
  return db.many<Pick<Call, 'id' | 'conversation_id'>>(
    sql`update calls set contact_id = null,
        phone_hmac = case when redacted_at is null then coalesce((${keys}::bytea[])[coalesce(
          array_position(${contact_ids}::uuid[], contact_id), array_position(${numbers}::text[], to_number))], phone_hmac) end,
        from_number = case when direction = 'inbound' then null else from_number end,
        to_number = case when direction = 'outbound' then null else to_number end, updated_at = ${laterUpdate(now)}
      where workspace_id = ${workspace} and id = any(array(
        select id from calls where workspace_id = ${workspace} and ${where} order by id for no key update))
      returning id, conversation_id`,
  )
}

/** Erases the numbers and what was said, but not the recording. */
export const eraseRow = ({ db, workspace, now }: At, id: string): Promise<number> =>
  db.run(
    sql`update calls set from_number = null, to_number = null, phone_hmac = null, variables = '{}', metadata = '{}', results = '{}',
        search_text = null, state = null, carrier_id = case when direction = 'inbound' then carrier_id end,
        redacted_at = coalesce(redacted_at, ${clock.iso(now)}),
        updated_at = ${laterUpdate(now)}
      where workspace_id = ${workspace} and id = ${id}`,
  )

/**
 * Unlinks redacted calls from everybody. Calls that still have files stay with the contact until these are gone.
 * Returns how many.
 */
export const unlinkRedacted = (
  { db, workspace, now }: At,
  { ids, contact_id }: { ids: string[]; contact_id: string },
) =>
  db.run(
    sql`update calls set updated_at = ${laterUpdate(now)}, contact_id = case when exists (select from recording_files
          where recording_files.workspace_id = ${workspace} and recording_files.id = calls.id) then ${contact_id}::uuid end
      where workspace_id = ${workspace} and id = any(${ids}::uuid[]) and redacted_at is not null`,
  )

/** Writes that the recordings of calls were deleted. Returns how many. */
export const setRecordingsDeleted = ({ db, workspace, now }: At, ids: string[], by: string): Promise<number> =>
  db.run(
    sql`update calls set recording_status = 'deleted', recording_format = null, recording_deleted_at = ${clock.iso(now)},
        recording_deleted_by = ${by}, updated_at = ${laterUpdate(now)}
      where workspace_id = ${workspace} and id = any(${ids}::uuid[])`,
  )

/** Deletes calls, and their events with them. */
export const deleteRows = ({ db, workspace }: At, ids: string[]): Promise<number> =>
  db.run(sql`delete from calls where workspace_id = ${workspace} and id = any(${ids}::uuid[])`)

/** Deletes calls of a campaign that were not dialled: all, or those that were to be dialled before now. Returns their ids. */
export async function deleteQueued(
  { db, workspace, now }: At,
  { campaign_id, which }: { campaign_id: string; which: 'all' | 'late' },
): Promise<string[]> {
  const deleted = await db.many<{ id: string }>(
    sql`delete from calls where workspace_id = ${workspace} and campaign_id = ${campaign_id} and status = 'queued'
        and started_at is null and (${which === 'all'} or dial_before <= ${clock.iso(now)})
      returning id`,
  )
  return deleted.map(({ id }) => id)
}

export interface Opening {
  line: 'browser' | 'phone'
  id: string
  /** The hash of the token that was sent. */
  token: string
  /** The hash of the token that comes back next. Null: the token that was sent works once, and the carrier asks for the next one. */
  next_token: string | null
  /** The origin of the page that has sent the token, if a page has. */
  origin: string | null
  lease_token: string
  /** The lease that this process has already, if it has one. Then the lease stays. */
  held: string | null
  /** When the call ends if nobody comes back. A call that has not begun keeps its time. */
  due_at: string
}

/**
 * Leases a call for the process with the socket, whoever has its lease. A token that was used before works again only
 * when nobody has the lease: its client may never have got the next one. Undefined if the token doesn't open the socket.
 */
export const takeOpened = <Taken>(
  at: At,
  opening: Opening,
  returning: Selection<Taken>,
): Promise<(Taken & { due_at: string; lease_token: string }) | undefined> => {
  const { token, next_token, lease_token, held, due_at } = opening
  // The socket of a call without a `due_at` can't be opened.
  return at.db.maybe<Taken & { due_at: string; lease_token: string }>(
    sql`update calls set lease_token = case when lease_token = ${held}::uuid then lease_token else ${lease_token}::uuid end,
        lease_until = ${leaseEnd(at.db)}, due_at = case when started_at is null then due_at else ${due_at} end,
        socket_token = ${next_token}, socket_token_before = ${next_token === null ? null : token}
      where ${isOpenedBy(at, opening)}
      returning ${returning}`,
  )
}

type Token = Pick<Opening, 'line' | 'id' | 'token' | 'origin'>

/** The call that the token opens, without taking it. */
export const findOpened = <Found>(
  at: At,
  opening: Token,
  columns: Selection<Found>,
): Promise<(Found & { due_at: string }) | undefined> =>
  at.db.maybe<Found & { due_at: string }>(sql`select ${columns} from calls where ${isOpenedBy(at, opening)}`)

const isOpenedBy = (
  { db, workspace, now }: At,
  { line, id, token, origin }: Token,
): Sql => sql`workspace_id = ${workspace} and id = ${id} and line = ${line} and ended_at is null
  and due_at > ${clock.iso(now)} and (socket_origin is null or socket_origin = ${origin})
  and (socket_token = ${token} or (socket_token_before = ${token}
    and (lease_until is null or lease_until <= ${clock.iso(db.time())})))`

/**
 * Sets the tokens of a call whose socket this process has opened with an earlier token. Returns 0 if another process
 * has the call, or it is over.
 */
export const setSocketTokens = (
  { db, workspace }: InWorkspace,
  {
    id,
    lease_token,
    socket_token,
    before,
  }: { id: string; lease_token: string; socket_token: string; before: string | null },
): Promise<number> =>
  db.run(
    sql`update calls set socket_token = ${socket_token}, socket_token_before = ${before}
      where workspace_id = ${workspace} and id = ${id} and lease_token = ${lease_token} and ended_at is null`,
  )

/** Returns those of the calls whose lease another process has taken, or nobody has. */
export async function findLost<Leased extends { id: string; token: string }>(
  { db, workspace }: InWorkspace,
  calls: Leased[],
): Promise<Leased[]> {
  const rows = await select(['id', 'lease_token']).many(
    db,
    sql`from calls where workspace_id = ${workspace} and id = any(${toArrayLiteral(calls.map(({ id }) => id))}::uuid[])`,
  )
  const tokens = new Map(rows.map(({ id, lease_token }) => [id, lease_token]))
  return calls.filter(({ id, token }) => tokens.get(id) !== token)
}

/** Whether the call has ended, or whoever has this lease can still end it. */
export const isEndedOrHeld = async (
  { db, workspace }: InWorkspace,
  { id, token }: { id: string; token: string },
): Promise<boolean> =>
  (await db.run(
    sql`select from calls
      where workspace_id = ${workspace} and id = ${id} and (ended_at is not null or lease_token = ${token})`,
  )) > 0

/** Sets the token that opens the next stream of a call by telephone. The call is locked. */
export const updateSocketToken = (at: At, row: Pick<Row, 'id' | 'socket_token'>): Promise<void> =>
  updateRows(at, [row], ['socket_token'])

/** Finds the call that a carrier knows by this id. Locks nothing. */
export const findByCarrierId = async (
  { db, workspace }: At,
  carrier_id: string,
): Promise<{ id: string; channel_id: string | null } | undefined> =>
  db.maybe(sql`select id, channel_id from calls where workspace_id = ${workspace} and carrier_id = ${carrier_id}`)

/** Stores the carrier's id of a call, unless another call has it. */
export const setCarrierId = (
  { db, workspace }: InWorkspace,
  { id, carrier_id }: { id: string; carrier_id: string },
): Promise<number> =>
  db.run(
    sql`update calls set carrier_id = ${carrier_id}
      where workspace_id = ${workspace} and id = ${id} and carrier_id is distinct from ${carrier_id} and redacted_at is null
        and not exists (select from calls as other where other.workspace_id = ${workspace} and other.carrier_id = ${carrier_id})`,
  )

/** Which of the calls are not over. Without `counts_taken` only those that no stream has taken. */
export async function findNotOver(
  { db, workspace }: InWorkspace,
  { ids, counts_taken }: { ids: string[]; counts_taken: boolean },
): Promise<Set<string>> {
  const rows = await db.many<{ id: string }>(
    sql`select id from calls
      where workspace_id = ${workspace} and id = any(${toArrayLiteral(ids)}::uuid[]) and ended_at is null
        and (${counts_taken} or conversation_id is null)`,
  )
  return new Set(rows.map(({ id }) => id))
}

/** Which of the carrier's ids belong to other calls than this one. */
export async function findOtherCarrierIds(
  { db, workspace }: InWorkspace,
  { id, carrier_ids }: { id: string; carrier_ids: string[] },
): Promise<Set<string>> {
  const rows = await db.many<{ carrier_id: string }>(
    sql`select carrier_id from calls
      where workspace_id = ${workspace} and carrier_id = any(${carrier_ids}::text[]) and id <> ${id}`,
  )
  return new Set(rows.map(({ carrier_id }) => carrier_id))
}

/**
 * Ends the lease after the carrier has answered. A call that has a `request` meanwhile is due now. A call that
 * a stream has taken is no longer leased here, and doesn't change.
 */
export const releaseDialed = (
  { db, workspace, now }: At,
  { id, token, is_dialing, due_at }: { id: string; token: string; is_dialing: boolean; due_at: string | null },
): Promise<number> =>
  db.run(
    sql`update calls set is_dialing = ${is_dialing}, lease_token = null, lease_until = null, claims = 0,
        due_at = case when ended_at is not null then null when request is not null then ${clock.iso(now)}::timestamptz
          else coalesce(${due_at}::timestamptz, due_at) end
      where workspace_id = ${workspace} and id = ${id} and lease_token = ${token}`,
  )

/**
 * Sets when calls on sockets end if nobody comes back. They are leased by this process. Rows that are locked are left
 * out, and calls that someone wants to end.
 */
export const postponeEnds = (
  { db, workspace }: InWorkspace,
  calls: { id: string; token: string; due_at: string }[],
): Promise<number> =>
  db.run(
    sql`update calls set due_at = row.due_at from ${rowsFrom(calls, 'id uuid, token uuid, due_at timestamptz')}
      where calls.workspace_id = ${workspace} and calls.id = row.id and calls.lease_token = row.token and ended_at is null
        and request is null and calls.id = any(array(
          select id from calls
          where workspace_id = ${workspace} and id = any(${toArrayLiteral(calls.map(({ id }) => id))}::uuid[])
          order by id for no key update skip locked))`,
  )

/** The call is locked. */
export const setRecordingStatus = (
  at: At,
  row: Pick<Row, 'id' | 'updated_at'> & { recording_status: Call['recording']['status'] },
): Promise<void> => updateRows(at, [row], ['recording_status', 'updated_at'])

/** Notes that a part of a recording is to be stored. Returns false if the recording was deleted. Locks the call. */
export const beginRecording = async ({ db, workspace }: At, id: string): Promise<boolean> =>
  (await db.run(
    sql`update calls set recording_format = 'wav',
        recording_status = case when recording_status = 'none' then 'recording' else recording_status end
      where workspace_id = ${workspace} and id = ${id} and recording_status in ('none', 'recording', 'rendering')`,
  )) > 0
