import { useQuery } from '@tanstack/react-query'
import { contactQuery, contactTitle } from '../contacts/contact.ts'
import { useApi } from '../kit/api.ts'
import { formatPhoneNumber } from '../kit/phone-number.ts'
import type { Named } from './conversation.ts'

const stale_ms = 60_000

/** The name of the contact, else its number, else who it may be. */
export function useContactName({ kind, contact_id, counterpart, is_trial = false }: Named): string {
  const api = useApi()
  const { data } = useQuery({
    ...contactQuery(api, contact_id ?? ''),
    enabled: contact_id !== null,
    staleTime: stale_ms,
  })
  if (data) return contactTitle(data)
  if (counterpart) return formatPhoneNumber(counterpart)
  if (contact_id) return 'Contact'
  if (is_trial) return 'Tester'
  return kind === 'web_chat' ? 'Visitor' : 'Unknown contact'
}

export const ContactName = ({ of }: { of: Named }) => useContactName(of)
