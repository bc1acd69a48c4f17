import type { Conversation } from '../conversations/schema.ts'
import type { InWorkspace } from '../kit/at.ts'
import { sql } from '../kit/postgres/sql.ts'

/** The facts about a message that its receiver knows. */
export interface MessageThread {
  conversation_id: string
  status: Conversation['status']
  agent_id: string
  /** The number. It is null after the contact was deleted or the conversation redacted. */
  counterpart: string | null
  seq: number
  text: string
  /** Whether it is the first message to this number. */
  is_first: boolean
  /** Whether it is the last message that was sent in this conversation. */
  is_last: boolean
  /** The number of messages that have come back in this conversation. */
  replies: number
  /** Whether a conversation with this number has ended with an opt-out. */
  has_opted_out: boolean
}

/** Finds the thread of an outgoing message. Returns undefined if it belongs to no conversation. */
export const findMessageThread = (
  { db, workspace }: InWorkspace,
  message_id: string,
): Promise<MessageThread | undefined> =>
  db.maybe<MessageThread>(
    sql`select message.conversation_id, conversation.status, conversation.agent_id, conversation.counterpart, message.seq,
        turn.text,
        not exists (select from messages as other where other.workspace_id = ${workspace}
          and other.conversation_id = message.conversation_id and other.direction = 'outbound'
          and other.seq < message.seq)
        and not exists (select from conversations as earlier
          join messages as other on other.workspace_id = ${workspace} and other.conversation_id = earlier.id
            and other.direction = 'outbound'
          where earlier.workspace_id = ${workspace} and earlier.counterpart = conversation.counterpart
            and earlier.created_at < conversation.created_at) as is_first,
        not exists (select from messages as other where other.workspace_id = ${workspace}
          and other.conversation_id = message.conversation_id and other.direction = 'outbound'
          and other.seq > message.seq) as is_last,
        (select count(*)::integer from messages as other where other.workspace_id = ${workspace}
          and other.conversation_id = message.conversation_id and other.direction = 'inbound') as replies,
        exists (select from conversations as other where other.workspace_id = ${workspace}
          and other.counterpart = conversation.counterpart and other.close_reason = 'opted_out') as has_opted_out
      from messages as message
      join conversations as conversation on conversation.workspace_id = ${workspace}
        and conversation.id = message.conversation_id
      join conversation_turns as turn on turn.workspace_id = ${workspace}
        and turn.conversation_id = message.conversation_id and turn.seq = message.seq
      where message.workspace_id = ${workspace} and message.id = ${message_id} and message.direction = 'outbound'`,
  )
