import type { InWorkspace } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { type Sql, sql } from '../kit/postgres/sql.ts'
import type { Row } from './rows.ts'
import type { Conversation } from './schema.ts'

interface Changed {
  status: Conversation['status']
  now: string
  /** When the contact said the first words that are added now. */
  said_at?: string | undefined
}

/**
 * Since when a conversation waits for a person after a change: since it was handed over, or since the contact's first words after
 * the last answer of a person. What the service says itself changes nothing.
 */
export function waitingSince(
  before: Pick<Conversation, 'status' | 'waiting_since'>,
  { status, now, said_at }: Changed,
): string | null {
  if (status !== 'handed_over') return null
  if (before.status !== 'handed_over') return now
  return before.waiting_since ?? said_at ?? null
}

/** People often write several short messages by SMS. The agent answers them together, this long after the last one. */
const sms_pause_ms = 1_500

/** This many messages are answered, whatever else is written meanwhile. The others are answered next. */
const unanswered_max = 8

/** Whether the contact has written so much that it is answered now. */
export const mustAnswer = ({ kind, turn_count, last_answer_seq }: Unanswered): boolean =>
  kind === 'sms' && turn_count - last_answer_seq >= unanswered_max

export const answer_after_ms = (conversation: Unanswered): number =>
  conversation.kind === 'sms' && !mustAnswer(conversation) ? sms_pause_ms : 0

interface Unanswered extends Pick<Conversation, 'kind' | 'turn_count'> {
  /** The last turn that was not the contact's. */
  last_answer_seq: number
}

/**
 * One person gets this many answers a minute where anyone can write. More messages are answered together when the
 * minute is over.
 */
const answers_per_minute_max = 20
const minute_ms = 60_000
/** The answers of a minute are looked for among this many turns. */
const looked_back = 200

/** Returns until when the agent is silent because it has answered very often, or undefined if it may answer now. */
export async function pausedUntil(
  { db, workspace, now }: InWorkspace & { now: number },
  { id, kind, turn_count }: Pick<Conversation, 'id' | 'kind' | 'turn_count'>,
): Promise<number | undefined> {
  if ((kind !== 'sms' && kind !== 'web_chat') || turn_count < answers_per_minute_max) return undefined
  const first = await db.maybe<{ created_at: string }>(
    sql`select created_at from conversation_turns
      where workspace_id = ${workspace} and conversation_id = ${id} and role = 'agent' and seq > ${turn_count - looked_back}
      order by seq desc offset ${answers_per_minute_max - 1} limit 1`,
  )
  const until = first && clock.parse(first.created_at) + minute_ms
  return until !== undefined && until > now ? until : undefined
}

/** By SMS no answer to the question within this time means yes. A contact is asked once in this time. */
const question_ms = clock.day_ms

type Asked = Pick<Row, 'status' | 'turn_count' | 'opt_out_asked_at' | 'opt_out_asked_seq'>

/** Whether the last turn asks whether the contact wants no more calls and messages. */
export const isAsked = ({ status, turn_count, opt_out_asked_seq }: Asked): boolean =>
  status !== 'closed' && opt_out_asked_seq === turn_count

/** When no answer begins to mean yes. Undefined if nothing is asked, and where silence means nothing. */
export const mustAnswerBy = (row: Asked & Pick<Row, 'kind'>): number | undefined =>
  row.kind === 'sms' && isAsked(row) && row.opt_out_asked_at !== null
    ? clock.parse(row.opt_out_asked_at) + question_ms
    : undefined

/** Returns the contacts of these with whom the question is open. By SMS it is open until what silence means is written. */
export const findAsked = (at: AtNow, contact_ids: string[]): Promise<Set<string>> =>
  findContacts(
    at,
    contact_ids,
    sql`opt_out_asked_seq = turn_count and status <> 'closed' and not is_test
      and (kind = 'sms' or opt_out_asked_at > ${clock.iso(at.now - question_ms)})`,
  )

/** Whether the contact was asked within a day, in any conversation. */
export const wasAskedLately = async (at: AtNow, contact_id: string): Promise<boolean> =>
  (await findContacts(at, [contact_id], sql`opt_out_asked_at > ${clock.iso(at.now - question_ms)}`)).size > 0

type AtNow = InWorkspace & { now: number }

async function findContacts({ db, workspace }: AtNow, contact_ids: string[], which: Sql): Promise<Set<string>> {
  const found = await db.many<{ contact_id: string }>(
    sql`select distinct contact_id from conversations
      where workspace_id = ${workspace} and contact_id = any(${contact_ids}::uuid[]) and opt_out_asked_at is not null and ${which}`,
  )
  return new Set(found.map(({ contact_id }) => contact_id))
}
