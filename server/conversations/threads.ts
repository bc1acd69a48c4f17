import { newHook } from '../kit/at.ts'
import type { Conversation, Message, Turn } from './schema.ts'

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

/** Runs in the transaction in which it happens. */
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
 * Runs before the answer is written. Reactions return the message by which it is sent, if there is one. A reaction that throws
 * prevents the answer.
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

/** Runs when it is written, in the same transaction. Reactions return the conversations that they have changed. */
export const said = newHook<Said[], Conversation[]>('conversations.said')
