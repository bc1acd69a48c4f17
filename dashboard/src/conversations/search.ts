import type { Conversation } from '../../../server/conversations/schema.ts'
import { type Outcome, outcomes } from '../calls/call.ts'
import { kind_names, type Status, statuses } from './conversation.ts'

export const kinds = Object.keys(kind_names) as Conversation['kind'][]

/** The shortest text that the server searches for. */
export const search_length_min = 3

/** The URL's query parameters on the pages of conversations. */
export interface ConversationSearch {
  status?: Status
  kind?: Conversation['kind']
  agent_id?: string
  channel_id?: string
  contact_id?: string
  /** Whether test chats are shown, which are left out otherwise. */
  is_test?: true
  /** The outcome of calls. */
  outcome?: Outcome
  /** Words that were said in calls. */
  search?: string
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

export function validateConversationSearch(raw: Record<string, unknown>): ConversationSearch {
  const { agent_id, channel_id, contact_id, search } = raw
  const status = statuses.find((one) => one === raw.status)
  const kind = kinds.find((one) => one === raw.kind)
  const outcome = outcomes.find((one) => one === raw.outcome)
  return {
    ...(status && { status }),
    ...(kind && { kind }),
    ...(isText(agent_id) && { agent_id }),
    ...(isText(channel_id) && { channel_id }),
    ...(isText(contact_id) && { contact_id }),
    ...(String(raw.is_test) === 'true' && { is_test: true }),
    ...(outcome && { outcome }),
    ...(isText(search) && search.trim().length >= search_length_min && { search: search.trim() }),
  }
}

/**
 * Tells which list the filters are for. Calls have outcomes and are searched; they share no status with conversations.
 */
export function listOf(search: ConversationSearch): 'calls' | 'conversations' | 'both' {
  const { kind, status, outcome } = search
  if (outcome || search.search) return 'calls'
  if (status || search.is_test) return 'conversations'
  if (kind) return kind === 'voice' ? 'calls' : 'conversations'
  return 'both'
}
