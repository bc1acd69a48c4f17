import type { Source } from '../contacts/search.ts'

export interface Overview {
  contacts: { total: number; new_this_week: number; by_source: Record<Source, number> }
  added_by_day: { day: string; total: number }[]
  events: { id: string; type: string; resource_id: string; created_at: string }[]
}

const event_names: Record<string, string> = {
  'contact.created': 'Contact created',
  'contact.updated': 'Contact changed',
  'contact.deleted': 'Contact deleted',
  'agent.created': 'Agent created',
  'api_key.created': 'API key created',
  'api_key.revoked': 'API key revoked',
}

/** Types that are newer than this page are said as they are: "import.finished" is "Import finished". */
export function nameOfEvent(type: string): string {
  const plain = type.replaceAll(/[._]/g, ' ')
  return event_names[type] ?? plain.charAt(0).toUpperCase() + plain.slice(1)
}
