import type { Event } from '../../../server/events/schema.ts'

/** As in the server's catalogue: a test compares them. */
export const event_types: Event['type'][] = [
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
  { group: 'All', items: [{ value: '*', label: 'All events' }] },
  ...[...new Set(types.map((type) => type.split('.')[0] ?? ''))].map((noun) => ({
    group: sayNoun(noun),
    items: [
      { value: `${noun}.*`, label: `All ${noun_names[noun] ?? noun} events` },
      ...types.filter((type) => type.startsWith(`${noun}.`)).map((type) => ({ value: type, label: type })),
    ],
  })),
]

const noun_names: Record<string, string> = { api_key: 'API key' }

function sayNoun(noun: string): string {
  const name = noun_names[noun] ?? noun
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** "contact.created" is "Contact created". */
export function nameOfEvent(type: string): string {
  const [noun = '', verb = ''] = type.split('.')
  return `${sayNoun(noun)} ${verb}`
}
