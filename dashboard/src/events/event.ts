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

/** Without those about what only owners may see: to others they are not shown. */
export const event_types_of_all = event_types.filter((type) => !/^(api_key|webhook)\./.test(type))

/** Patterns first, each with its types. */
export const choicesOf = (types: string[]) => [
  { group: 'Everything', items: [{ value: '*', label: 'All events' }] },
  ...[...new Set(types.map((type) => type.split('.')[0] ?? ''))].map((noun) => ({
    group: sayNoun(noun),
    items: [
      { value: `${noun}.*`, label: `All of ${noun}.*` },
      ...types.filter((type) => type.startsWith(`${noun}.`)).map((type) => ({ value: type, label: type })),
    ],
  })),
]

function sayNoun(noun: string): string {
  const plain = noun.replaceAll('_', ' ')
  return plain.charAt(0).toUpperCase() + plain.slice(1)
}
