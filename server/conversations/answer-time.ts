import type { InWorkspace } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { sql } from '../kit/postgres/sql.ts'
import type { Conversation } from './schema.ts'

/** People often write several short messages by SMS. The agent answers them together, this long after the last one. */
const sms_pause_ms = 1_500

/** After this many messages they are answered, whatever else is written meanwhile. That is answered next. */
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

/** Where anyone can write, one person gets this many. More messages are answered together when the minute is over. */
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
