import { type Status, statuses } from './conversation.ts'

/** The URL's query parameters on the conversations page. */
export interface ConversationSearch {
  status?: Status
  agent_id?: string
  contact_id?: string
}

export function validateConversationSearch(raw: Record<string, unknown>): ConversationSearch {
  const status = statuses.find((one) => one === raw.status)
  return {
    ...(status && { status }),
    ...(typeof raw.agent_id === 'string' && raw.agent_id !== '' && { agent_id: raw.agent_id }),
    ...(typeof raw.contact_id === 'string' && raw.contact_id !== '' && { contact_id: raw.contact_id }),
  }
}
