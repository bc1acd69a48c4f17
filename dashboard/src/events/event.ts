export interface Event {
  id: string
  type: string
  resource_id: string
  created_at: string
  data: Record<string, unknown>
  previous: Record<string, unknown> | null
}

/** As in the server's catalogue: a test compares them. */
export const event_types = [
  'contact.created',
  'contact.updated',
  'contact.deleted',
  'agent.created',
  'import.finished',
  'import.undone',
  'api_key.created',
  'api_key.revoked',
  'webhook.disabled',
  'webhook.test',
]

const nouns = [...new Set(event_types.map((type) => type.split('.')[0] ?? ''))]

/** Patterns first, each with its types. */
export const choices = [
  { group: 'Everything', items: [{ value: '*', label: 'All events' }] },
  ...nouns.map((noun) => ({
    group: sayNoun(noun),
    items: [
      { value: `${noun}.*`, label: `All of ${noun}.*` },
      ...event_types.filter((type) => type.startsWith(`${noun}.`)).map((type) => ({ value: type, label: type })),
    ],
  })),
]

function sayNoun(noun: string): string {
  const plain = noun.replaceAll('_', ' ')
  return plain.charAt(0).toUpperCase() + plain.slice(1)
}
