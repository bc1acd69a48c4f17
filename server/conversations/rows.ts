import type { Configuration } from '../agents/configuration.ts'
import { openKeys } from '../consent/person.ts'
import type { DeletedContact } from '../contacts/store.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { sql, toArrayLiteral } from '../kit/postgres/sql.ts'
import {
  column,
  initialOf,
  insertInto,
  laterUpdate,
  nullable,
  type Selection,
  selectorOf,
  type Table,
  typesIn,
  updaterOf,
  type ValuesOf,
} from '../kit/postgres/table.ts'
import { leaseRows, renewerOf } from '../kit/work/rows.ts'
import type { CountedConversation } from './counted.ts'
import { Conversation, type Turn } from './schema.ts'

/** Times that the conversation waits for, besides the end of an idle one. */
export interface Timers {
  person?: number | undefined
}

/** Where a script is, and up to which turn it has heard the contact. */
export interface ScriptProgress {
  node: string | null
  variables: Record<string, string | number | boolean | null>
  heard_until: number
}

/** What clients don't see. */
const hidden = {
  /**
   * Whether the contact waits for an answer, or for the agent's first words. Clients see it as `is_answering` while the
   * conversation is open: after a hand-over a person answers. While a process makes the answer, the engine's state has it as
   * `is_unanswered` (`talk/state.ts`), and it is written back at the end. In calls only the engine has it.
   */
  awaits_answer: column('boolean', false),
  last_answer_seq: column('integer', 0),
  /** When the contact first said something. */
  first_asked_at: nullable<string>('timestamptz'),
  needs_summary: column('boolean', false),
  script_state: nullable<ScriptProgress>('jsonb'),
  summarized_until: column('integer', 0),
  timers: column<Timers>('jsonb', {}),
  /** When the agent last asked in writing whether the contact wants no more calls and messages. */
  opt_out_asked_at: nullable<string>('timestamptz'),
  /** The number of the turn that asks it. */
  opt_out_asked_seq: nullable<number>('integer'),
  due_at: nullable<string>('timestamptz'),
  lease_token: nullable<string>('uuid'),
}

/** Columns that are not read when a conversation is locked. */
const aside = {
  /** The configuration of a conversation with the agent's draft. */
  draft: nullable<Configuration>('jsonb'),
  phone_hmac: nullable<string>('bytea'),
  lease_until: nullable<string>('timestamptz'),
  attempt: column('smallint', 0),
}

export const table = {
  name: 'conversations',
  columns: {
    id: 'uuid',
    kind: 'text',
    status: 'text',
    channel_id: 'uuid',
    agent_id: 'uuid',
    agent_name: 'text',
    version_id: 'uuid',
    version_label: 'text',
    contact_id: 'uuid',
    counterpart: 'text',
    turn_count: 'integer',
    last_turn_at: 'timestamptz',
    hand_over_reason: 'text',
    waiting_since: 'timestamptz',
    is_test: 'boolean',
    close_reason: 'text',
    results: 'jsonb',
    summary: 'text',
    variables: 'jsonb',
    metadata: 'jsonb',
    input_tokens: 'integer',
    output_tokens: 'integer',
    redacted_at: 'timestamptz',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
    ...typesIn(hidden),
    ...typesIn(aside),
  },
} satisfies Table<string>

type Column = keyof typeof table.columns
// The keys of these literals are those of their types, and so are those of a schema.
const all_columns = Object.keys(table.columns) as Column[]
const hidden_columns = Object.keys(hidden) as (keyof typeof hidden)[]
export const members = Object.keys(Conversation.properties) as (keyof Conversation)[]

/** A conversation with what clients don't see. */
export interface Row extends Conversation, ValuesOf<typeof hidden> {}

interface Selectable extends Row, ValuesOf<typeof aside> {
  version_id: string | null
  tokens: number
}

export const select = selectorOf<Selectable, Column>(table, {
  agent_version: `jsonb_build_object('id', version_id, 'version_label', version_label)`,
  is_answering: `status = 'open' and awaits_answer`,
  usage: `jsonb_build_object('input_tokens', input_tokens, 'output_tokens', output_tokens)`,
  tokens: 'input_tokens + output_tokens',
})

export const columns = select(members)
const locked = select([...members, ...hidden_columns])

/** The row of a conversation that begins. */
export const newRow = (
  conversation: Conversation,
  { due_at, lease_token }: Pick<Row, 'due_at' | 'lease_token'>,
): Row => ({
  ...conversation,
  ...initialOf(hidden),
  awaits_answer: conversation.is_answering,
  first_asked_at: conversation.turn_count > 0 ? conversation.created_at : null,
  due_at,
  lease_token,
})

/** Leaves out what clients don't see. */
export const shownOf = (row: Row): Conversation =>
  // All members of a conversation are listed.
  Object.fromEntries(members.map((member) => [member, row[member]])) as Conversation

/**
 * Locks conversations in the order of their ids, until the transaction ends. A transaction that locks a call too does
 * so after this.
 */
export async function lockAll({ db, workspace }: At, ids: string[]): Promise<Map<string, Row>> {
  if (ids.length === 0) return new Map()
  const rows = await locked.many(
    db,
    sql`from conversations
      where workspace_id = ${workspace} and id = any(${toArrayLiteral(ids)}::uuid[]) order by id for no key update`,
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** Locks the open conversations with these counterparts on these channels. */
export const lockThreads = (
  { db, workspace }: At,
  { channel_ids, counterparts }: { channel_ids: string[]; counterparts: string[] },
): Promise<Row[]> =>
  locked.many(
    db,
    sql`from conversations
      where workspace_id = ${workspace} and kind = 'sms' and status <> 'closed' and counterpart is not null
        and channel_id = any(${channel_ids}::uuid[]) and counterpart = any(${counterparts}::text[])
      order by channel_id, counterpart for no key update`,
  )

/**
 * Inserts conversations, and returns the ids of those that were inserted. A number has one open conversation on a
 * channel.
 */
export async function insertRows(at: At, rows: (Row & Partial<ValuesOf<typeof aside>>)[]): Promise<Set<string>> {
  if (rows.length === 0) return new Set()
  const values = rows.map(({ agent_version: { id: version_id, version_label }, usage, ...row }) => ({
    ...initialOf(aside),
    ...row,
    ...usage,
    version_id,
    version_label,
  }))
  const inserted = await at.db.many<{ id: string }>(
    sql`${insertInto(table, at, { names: all_columns, rows: values })}
      on conflict (workspace_id, channel_id, counterpart)
        where kind = 'sms' and status <> 'closed' and counterpart is not null do nothing
      returning id`,
  )
  return new Set(inserted.map(({ id }) => id))
}

const updateRows = updaterOf(table)

const received_columns = [
  'status',
  'close_reason',
  'waiting_since',
  'turn_count',
  'last_turn_at',
  'first_asked_at',
  'awaits_answer',
  'needs_summary',
  'opt_out_asked_at',
  'opt_out_asked_seq',
  'updated_at',
  'due_at',
] as const

/** Writes what messages of contacts have changed, in conversations that the transaction has locked. */
export const updateReceived = (
  at: At,
  rows: Record<(typeof received_columns)[number] | 'id', unknown>[],
): Promise<void> => updateRows(at, rows, received_columns)

const saved_columns = [
  'status',
  'close_reason',
  'hand_over_reason',
  'waiting_since',
  'turn_count',
  'last_turn_at',
  'last_answer_seq',
  'awaits_answer',
  'results',
  'script_state',
  'summary',
  'summarized_until',
  'needs_summary',
  'timers',
  'input_tokens',
  'output_tokens',
  'updated_at',
] as const

/** Writes what agents have said and learned, in conversations that the transaction has locked. */
export const updateSaved = (at: At, rows: Row[]): Promise<void> =>
  updateRows(
    at,
    rows.map((row) => ({ ...row, ...row.usage })),
    saved_columns,
  )

/** Writes what `updateSaved` writes at the end of leases, and when the conversations are due next. */
export const updateReleased = (at: At, rows: Row[]): Promise<void> =>
  updateRows(
    at,
    rows.map((row) => ({ ...row, ...row.usage, lease_token: null, lease_until: null, attempt: 0 })),
    [...saved_columns, 'due_at', 'lease_token', 'lease_until', 'attempt'],
  )

/** The conversation is locked. */
export const updateStatus = (
  { db, workspace }: At,
  row: Pick<
    Row,
    'id' | 'status' | 'hand_over_reason' | 'waiting_since' | 'close_reason' | 'needs_summary' | 'updated_at' | 'due_at'
  >,
): Promise<number> =>
  db.run(
    sql`update conversations set status = ${row.status}, hand_over_reason = ${row.hand_over_reason},
        waiting_since = ${row.waiting_since}, close_reason = ${row.close_reason}, needs_summary = ${row.needs_summary}, updated_at = ${row.updated_at},
        due_at = ${row.due_at}
      where workspace_id = ${workspace} and id = ${row.id}`,
  )

/** Counts the turn of a person, in a conversation that the transaction has locked. The conversation waits no longer. */
export const updateAnswered = (
  { db, workspace }: At,
  { id, turn, updated_at, due_at }: Pick<Row, 'id' | 'updated_at' | 'due_at'> & { turn: Turn },
): Promise<number> =>
  db.run(
    sql`update conversations set turn_count = ${turn.seq}, last_answer_seq = ${turn.seq}, awaits_answer = false,
        waiting_since = null, last_turn_at = ${turn.created_at}, updated_at = ${updated_at}, due_at = ${due_at}
      where workspace_id = ${workspace} and id = ${id}`,
  )

/**
 * Counts turns of contacts, by the ids of their conversations, and makes the agent answer. Conversations of another kind and
 * those that are closed don't change.
 */
export async function addSaid(
  { db, workspace, now }: At,
  said: Map<string, unknown[]>,
  kind: Conversation['kind'],
): Promise<(CountedConversation & Counted)[]> {
  const ids = [...said.keys()]
  const counts = JSON.stringify(Object.fromEntries(ids.map((id) => [id, said.get(id)?.length])))
  // The order makes concurrent transactions lock conversations alike, so that they don't deadlock. Counts are looked up in an
  // object: on outdated statistics, the plan of a join compares all conversations of the workspace with each of these.
  const rows = await db.many<Omit<CountedConversation, 'agent_version'> & Counted & { version_id: string | null }>(
    sql`update conversations
      set turn_count = turn_count + (${counts}::jsonb ->> id::text)::integer, awaits_answer = true,
        waiting_since = case when status = 'handed_over' then coalesce(waiting_since, ${clock.iso(now)}) end,
        last_turn_at = ${clock.iso(now)}, first_asked_at = coalesce(first_asked_at, ${clock.iso(now)}),
        updated_at = ${laterUpdate(now)}, due_at = ${clock.iso(now)}
      where workspace_id = ${workspace} and kind = ${kind} and status <> 'closed'
        and id = any(array(select id from conversations
          where workspace_id = ${workspace} and id = any(${ids}::uuid[]) order by id for no key update))
      returning id, contact_id, turn_count, opt_out_asked_seq, is_test, kind, agent_id, version_id, channel_id, created_at`,
  )
  return rows.map(({ version_id, ...row }) => ({ ...row, agent_version: { id: version_id } }))
}

type Counted = Pick<Row, 'contact_id' | 'turn_count' | 'opt_out_asked_seq'>

/** The conversation is locked. */
export const updateContact = ({ db, workspace }: At, row: Pick<Row, 'id' | 'contact_id' | 'updated_at'>) =>
  db.run(
    sql`update conversations set contact_id = ${row.contact_id}, updated_at = ${row.updated_at}
      where workspace_id = ${workspace} and id = ${row.id}`,
  )

/** Sets the number of a visitor, unless there is one already or the conversation is closed. */
export const setCounterpart = ({ db, workspace, now }: At, row: Pick<Row, 'id' | 'counterpart'>): Promise<number> =>
  db.run(
    sql`update conversations set counterpart = ${row.counterpart}, updated_at = ${laterUpdate(now)}
      where workspace_id = ${workspace} and id = ${row.id} and kind = 'web_chat' and counterpart is null and status <> 'closed'`,
  )

/**
 * Removes contacts and their numbers, also where a visitor of a web chat has typed one. The key that stands for the
 * number is kept, so that the words can be found when the person is erased.
 */
export async function unlinkContacts(at: At, deleted: DeletedContact[]) {
  const { db, workspace, now } = at
  const contact_ids = deleted.map(({ id }) => id)
  const numbers = deleted.map(({ phone_number }) => phone_number)
  const keys = numbers.map(await openKeys(at))
  return db.many<{ id: string; had_number: boolean }>(
    sql`update conversations set contact_id = before.contact_id, counterpart = null, updated_at = ${laterUpdate(now)},
        phone_hmac = case when before.contact_id is null and redacted_at is null
          then coalesce((${keys}::bytea[])[before.index], phone_hmac) end
      from (select id, counterpart is not null as had_number,
          case when contact_id = any(${contact_ids}::uuid[]) then null else contact_id end as contact_id,
          coalesce(array_position(${contact_ids}::uuid[], contact_id), array_position(${numbers}::text[], counterpart)) as index
        from conversations
        where workspace_id = ${workspace} and (contact_id = any(${contact_ids}::uuid[])
          or (counterpart = any(${numbers}::text[]) and (contact_id is null or kind = 'web_chat')))
        order by id for no key update) as before
      where workspace_id = ${workspace} and conversations.id = before.id
      returning conversations.id, before.had_number`,
  )
}

/** Removes the contacts and numbers of these conversations. */
export const unlinkRows = ({ db, workspace, now }: At, ids: string[]): Promise<number> =>
  db.run(
    sql`update conversations set contact_id = null, counterpart = null, updated_at = ${laterUpdate(now)}
      where workspace_id = ${workspace} and id = any(${ids}::uuid[])
        and (contact_id is not null or counterpart is not null)`,
  )

/** Erases what was said in a conversation that the transaction has locked. */
export const eraseRow = ({ db, workspace }: At, row: Pick<Row, 'id' | 'redacted_at' | 'updated_at'>): Promise<number> =>
  db.run(
    sql`update conversations set counterpart = null, phone_hmac = null, variables = '{}', metadata = '{}', results = '{}', summary = null,
        hand_over_reason = null, script_state = null, needs_summary = false, redacted_at = ${row.redacted_at},
        updated_at = ${row.updated_at}
      where workspace_id = ${workspace} and id = ${row.id}`,
  )

/** Unlinks those of these conversations that were redacted: they belong to nobody any more. */
export const unlinkRedacted = ({ db, workspace, now }: At, ids: string[]): Promise<number> =>
  db.run(
    sql`update conversations set contact_id = null, counterpart = null, phone_hmac = null, updated_at = ${laterUpdate(now)}
      where workspace_id = ${workspace} and id = any(${ids}::uuid[]) and redacted_at is not null`,
  )

/** Has the conversations of an agent closed in the background, because there may be many. Calls close their own. */
export async function closeSoon({ db, workspace, now }: At, agent_id: string): Promise<void> {
  await db.run(
    sql`update conversations set close_reason = 'agent_deleted', due_at = ${clock.iso(now)}
      where workspace_id = ${workspace} and agent_id = ${agent_id} and status <> 'closed' and kind <> 'voice'`,
  )
  db.notify({ topic: table.name, workspace })
}

/** Leases due conversations, and returns these columns of them. A due conversation always has a `due_at`. */
export const leaseDue = <Leased>(at: At, limit: number, returning: Selection<Leased>) =>
  leaseRows<Leased & { due_at: string }>(at, { table: table.name, limit, returning })

export const renewLeases = renewerOf(table.name)

/** Deletes conversations that are old and closed, but not those of calls. */
export const deleteOld = ({ db, workspace }: At, before: string, limit: number): Promise<Deleted[]> =>
  db.many<Deleted>(
    sql`delete from conversations where workspace_id = ${workspace} and id = any(array(
      select id from conversations
      where workspace_id = ${workspace} and status = 'closed' and kind <> 'voice' and created_at < ${before}
      order by created_at limit ${limit} for update skip locked))
      returning id, is_test`,
  )

/** Deletes those of these conversations that are closed. */
export const deleteClosed = ({ db, workspace }: At, ids: string[]): Promise<Deleted[]> =>
  db.many<Deleted>(
    sql`delete from conversations
      where workspace_id = ${workspace} and id = any(${ids}::uuid[]) and status = 'closed'
      returning id, is_test`,
  )

type Deleted = Pick<Conversation, 'id' | 'is_test'>
