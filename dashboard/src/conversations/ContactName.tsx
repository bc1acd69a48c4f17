import { useQuery } from '@tanstack/react-query'
import type { Conversation } from '../../../server/conversations/schema.ts'
import { contactName, contactQuery } from '../contacts/contact.ts'
import { useApi } from '../kit/api.ts'
import type { Named } from './conversation.ts'

const stale_ms = 60_000

/** The name of the contact, else its number. */
export function useContactName({ kind, contact_id, counterpart }: Pick<Conversation, Named>): string {
  const api = useApi()
  const { data } = useQuery({
    ...contactQuery(api, contact_id ?? ''),
    enabled: contact_id !== null,
    staleTime: stale_ms,
  })
  if (data) return contactName(data) || data.phone_number
  if (counterpart) return counterpart
  if (contact_id) return 'Contact'
  return kind === 'web_chat' ? 'Visitor' : 'Unknown contact'
}

export const ContactName = ({ of }: { of: Conversation }) => useContactName(of)
