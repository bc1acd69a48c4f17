import * as channels from '../channels/store.ts'
import * as channel_usage from '../channels/usage.ts'
import { type At, newHook } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { isId } from '../kit/id.ts'
import { batchedGetById } from '../kit/postgres/get-by-id.ts'
import * as page from '../kit/postgres/page.ts'
import { sharedRead } from '../kit/postgres/shared-read.ts'
import { raw, type Sql, sql, toArrayLiteral } from '../kit/postgres/sql.ts'
import type { RowOf } from '../kit/postgres/table.ts'
import { invalid, notFound } from '../kit/problem.ts'
import { dayOf } from '../talk/settings.ts'
import * as workspaces from '../workspaces/store.ts'
import * as counts from './counted.ts'
import { columns, members, select } from './rows.ts'
import type { Conversation, ConversationQuery, Message, Turn } from './schema.ts'

/** The name of the table, of the due work, and of the topic of notifications. */
export const table = 'conversations'

const getById = batchedGetById<Conversation>(columns, raw(table))

export async function get({ db, workspace }: At, id: string): Promise<Conversation> {
  const found = isId(id) ? await getById(db, workspace, id) : undefined
  if (!found) throw notFound()
  return found
}

const by_last_turn = { column: 'last_turn_at', is_nullable: true }
const by_wait = { column: 'waiting_since', is_nullable: true }
const by_created = { column: 'created_at', is_nullable: false }
const sorts: Record<ConversationQuery['sort'], page.Sort> = {
  created_at: { name: 'created_at', is_descending: false, ...by_created },
  '-created_at': page.newest_first,
  last_turn_at: { name: 'last_turn_at', is_descending: false, ...by_last_turn },
  '-last_turn_at': { name: '-last_turn_at', is_descending: true, ...by_last_turn },
  waiting_since: { name: 'waiting_since', is_descending: false, ...by_wait },
  '-waiting_since': { name: '-waiting_since', is_descending: true, ...by_wait },
}

export function list({ db, workspace }: At, query: ConversationQuery): Promise<page.Page<Conversation>> {
  const { status, is_test } = query
  // Only conversations that are handed over have an index in this order.
  if (query.sort.endsWith('waiting_since') && status !== 'handed_over') throw waitNeedsStatus()
  const filters = [
    query.contact_id && byId(raw('contact_id'), query.contact_id),
    query.agent_id && byId(raw('agent_id'), query.agent_id),
    query.channel_id && byId(raw('channel_id'), query.channel_id),
    query.kind && sql`kind = ${query.kind}`,
    query.created_after && sql`created_at > ${clock.iso(clock.parse(query.created_after))}`,
    query.created_before && sql`created_at < ${clock.iso(clock.parse(query.created_before))}`,
  ].filter((filter) => filter instanceof Object)
  // These are constants, so that every plan can use the index for conversations that are handed over, and the order of
  // those with `is_test`.
  const by_status = status ? [raw(`status = '${status}'`)] : []
  const by_trial = raw(is_test ? 'is_test' : 'not is_test')
  const where = [...by_status, by_trial, ...filters].reduce<Sql>(
    (all, filter) => sql`${all} and ${filter}`,
    sql`workspace_id = ${workspace}`,
  )
  const is_kept = filters.length === 0 && !is_test
  const counted = is_kept
    ? counts.selectTotal(workspace, status)
    : sql`select count(*) as total from conversations where ${where}`
  return page.read(query, sorts[query.sort], async (page_sql) => {
    const [rows, { total }] = await Promise.all([
      db.many<Conversation>(page_sql.rows(sql`select ${columns} from conversations where ${where}`)),
      db.one<{ total: number }>(counted),
    ])
    return { rows, total }
  })
}

const waitNeedsStatus = () =>
  invalid([
    { path: 'sort', code: 'not_allowed', message: 'sort can be waiting_since only together with status=handed_over.' },
  ])

/** An id that can't exist finds nothing. */
const byId = (column: Sql, id: string): Sql => (isId(id) ? sql`${column} = ${id}` : raw('false'))

/** Makes a join for other rooms, by a column with the conversation's id, which may be null. Its only column is `summary`. */
export const joinSummary = (workspace: Sql, id: Sql): Sql =>
  sql`left join lateral (select conversation.summary from conversations as conversation
    where conversation.workspace_id = ${workspace} and conversation.id = ${id}) as summarized on true`

const locked = select([...members, 'awaits_answer'])
export type LockedConversation = RowOf<typeof locked>

/** Locks the conversation until the transaction ends. */
export async function lock({ db, workspace }: At, id: string): Promise<LockedConversation> {
  const found = isId(id)
    ? await locked.maybe(db, sql`from conversations where workspace_id = ${workspace} and id = ${id} for no key update`)
    : undefined
  if (!found) throw notFound()
  return found
}

/** Whether nothing more may be stored about a conversation. It is not redacted before the transaction ends. */
export async function isRedacted({ db, workspace }: At, id: string): Promise<boolean> {
  const found = await select(['redacted_at']).maybe(
    db,
    sql`from conversations where workspace_id = ${workspace} and id = ${id} for share`,
  )
  return found !== undefined && found.redacted_at !== null
}

/** Finds the open conversation with a number on a channel. */
export const findOpenThread = (
  { db, workspace }: At,
  { channel_id, counterpart }: Pick<Conversation, 'channel_id' | 'counterpart'>,
): Promise<Pick<Conversation, 'id' | 'status'> | undefined> =>
  select(['id', 'status']).maybe(
    db,
    sql`from conversations where workspace_id = ${workspace} and kind = 'sms' and status <> 'closed'
      and channel_id = ${channel_id} and counterpart = ${counterpart} and counterpart is not null`,
  )

/** Finds those of these numbers that a person or an agent is writing to, or that have an open conversation at all. */
export async function findBusy(
  { db, workspace }: At,
  { phone_numbers, is_any_open }: { phone_numbers: string[]; is_any_open: boolean },
): Promise<Set<string>> {
  const busy = await db.many<{ counterpart: string }>(
    sql`select distinct counterpart from conversations
      where workspace_id = ${workspace} and counterpart = any(${phone_numbers}::text[]) and kind = 'sms' and status <> 'closed'
        and (awaits_answer or status = 'handed_over' or ${is_any_open})`,
  )
  return new Set(busy.map(({ counterpart }) => counterpart))
}

/** Returns what the agent has collected in each of these conversations, by its id. */
export async function readResults({ db, workspace }: At, ids: string[]): Promise<Map<string, Record<string, unknown>>> {
  if (ids.length === 0) return new Map()
  const rows = await select(['id', 'results']).many(
    db,
    sql`from conversations where workspace_id = ${workspace} and id = any(${toArrayLiteral(ids)}::uuid[])`,
  )
  return new Map(rows.map(({ id, results }) => [id, results]))
}

/** After the commit, whoever drives, follows or waits for the conversation looks at it. */
export const announce = ({ db, workspace }: At, id: string, { is_due = true } = {}): void =>
  db.notify({ topic: table, workspace, id, is_due })

/**
 * Something has happened in a conversation by SMS.
 * - `sent`: the carrier has the first message that was written to the contact. `failed`, `unknown`: it does not, or that is not known.
 *   What becomes of later messages does not count.
 * - `replied`: the contact has written. `opted_out`: it has written a word such as STOP.
 * - `closed`: it has ended.
 */
export interface ThreadChange {
  id: string
  /** It is set when the contact has written. */
  contact_id?: string | null
  what: 'sent' | 'failed' | 'unknown' | 'replied' | 'opted_out' | 'closed'
}

/** Runs when conversations by SMS change, in the same transaction. */
export const threads_changed = newHook<ThreadChange[]>('conversations.threads_changed')

/** Asks whether a number may be written to. A reaction that throws prevents it. */
export const writing_to = newHook<{ phone_number: string }>('conversations.writing_to')

/** A person answers this by SMS. */
export interface AnswerBySms {
  /** The id of the conversation. */
  id: string
  turn: Turn
  channel_id: string | null
  counterpart: string
}

/**
 * Runs before a person's answer by SMS is written. Reactions return the message by which it is sent, if there is one. A
 * reaction that throws prevents the answer.
 */
export const answering_by_sms = newHook<AnswerBySms, { id: string; message: Message } | undefined>(
  'conversations.answering_by_sms',
)

/** The contact has said this over the API, or in a web chat. */
export interface Said {
  /** The id of the conversation. */
  id: string
  contact_id: string | null
  turn: Turn
  /** Whether the turn before asks whether the contact wants no more calls and messages. */
  is_answer: boolean
}

/**
 * Runs when words of contacts are written, in the same transaction. Reactions return the conversations that they have
 * changed.
 */
export const said = newHook<Said[], Conversation[]>('conversations.said')

interface Used {
  channel_id: string | null
  tokens: number
}

/** Counts the tokens of answers, in the transaction that writes the answers. */
export async function addTokens(at: At, used: Used[]): Promise<void> {
  const { db, workspace, now } = at
  const tokens = used.reduce((sum, one) => sum + one.tokens, 0)
  if (tokens === 0) return
  await Promise.all([
    db.run(
      sql`insert into token_days (workspace_id, day, tokens) values (${workspace}, ${dayOf(now)}, ${tokens})
        on conflict (workspace_id, day) do update set tokens = token_days.tokens + excluded.tokens`,
    ),
    channel_usage.addTokens(
      at,
      used.flatMap(({ channel_id, tokens }) => (channel_id === null || tokens === 0 ? [] : [{ channel_id, tokens }])),
    ),
  ])
}

/** Returns whether no more tokens may be used today, in the workspace or on the channel. */
export async function isOverLimit(at: At, { channel_id }: { channel_id: string | null }): Promise<boolean> {
  const [is_over, channel] = await Promise.all([
    isOverDailyLimit(at),
    channel_id === null ? undefined : channels.find(at, channel_id),
  ])
  return is_over || (channel !== undefined && (await channel_usage.isOverTokens(at, channel)))
}

/** Returns whether the workspace has used the tokens that it may use in a day. */
const isOverDailyLimit = sharedRead(async (at: At): Promise<boolean> => {
  const { db, workspace, now } = at
  const [found, { tokens_per_day_max }] = await Promise.all([
    db.maybe<{ tokens: number }>(
      sql`select tokens from token_days where workspace_id = ${workspace} and day = ${dayOf(now)}`,
    ),
    workspaces.readSettings(at),
  ])
  return (found?.tokens ?? 0) >= tokens_per_day_max
})

/**
 * Conversations without a word of the contact are passed over. An agent that nobody answers may have only those, so at
 * most `last` times this many are looked at.
 */
const looked_at_factor = 5

export type Replayable = Pick<Conversation, 'id' | 'contact_id' | 'created_at'>

/** The last closed conversations of an agent in which the contact has said something, newest first. No trials. */
export async function listReplayable(
  { db, workspace }: At,
  { agent_id, last }: { agent_id: string; last: number },
): Promise<Replayable[]> {
  const found = await select(['id', 'contact_id', 'created_at']).many(
    db,
    sql`from conversations
      where workspace_id = ${workspace} and agent_id = ${agent_id} and status = 'closed' and not is_test and redacted_at is null
      order by created_at desc, id desc limit ${last * looked_at_factor}`,
  )
  if (found.length === 0) return []
  const with_words = await db.many<{ conversation_id: string }>(
    sql`select distinct conversation_id from conversation_turns
      where workspace_id = ${workspace} and conversation_id = any(${toArrayLiteral(found.map(({ id }) => id))}::uuid[])
        and role = 'contact' and text <> ''`,
  )
  const ids = new Set(with_words.map(({ conversation_id }) => conversation_id))
  return found.filter(({ id }) => ids.has(id)).slice(0, last)
}

/**
 * Returns those of these conversations whose words are still there, with their contacts. Until the transaction ends they are not
 * redacted or deleted, and their contacts are not either.
 */
export async function shareReplayable(
  { db, workspace }: At,
  ids: string[],
): Promise<Map<string, Pick<Conversation, 'contact_id'>>> {
  const found = await select(['id', 'contact_id']).many(
    db,
    sql`from conversations
      where workspace_id = ${workspace} and id = any(${toArrayLiteral(ids)}::uuid[]) and redacted_at is null
      order by id for share`,
  )
  return new Map(found.map(({ id, contact_id }) => [id, { contact_id }]))
}
