import type { Conversation } from '../../../server/conversations/schema.ts'
import { type Status, statuses } from './conversation.ts'

/** The kinds that there are conversations of. */
export const text_kinds: Conversation['kind'][] = ['api', 'web_chat', 'sms']

/** The URL's query parameters on the pages of conversations. */
export interface ConversationSearch {
  status?: Status
  kind?: Conversation['kind']
  agent_id?: string
  channel_id?: string
  contact_id?: string
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

export function validateConversationSearch(raw: Record<string, unknown>): ConversationSearch {
  const { agent_id, channel_id, contact_id } = raw
  const status = statuses.find((one) => one === raw.status)
  const kind = text_kinds.find((one) => one === raw.kind)
  return {
    ...(status && { status }),
    ...(kind && { kind }),
    ...(isText(agent_id) && { agent_id }),
    ...(isText(channel_id) && { channel_id }),
    ...(isText(contact_id) && { contact_id }),
  }
}
