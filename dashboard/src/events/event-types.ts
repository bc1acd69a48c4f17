import type { Event } from '../../../server/events/schema.ts'

/** All types of events. A test compares this with the server's catalog. */
export const event_types: Event['type'][] = [
  'contact.created',
  'contact.updated',
  'contact.deleted',
  'agent.created',
  'agent.updated',
  'agent.deployed',
  'agent.deleted',
  'test_run.completed',
  'conversation.started',
  'conversation.turn',
  'conversation.handed_over',
  'conversation.taken_back',
  'conversation.closed',
  'message.received',
  'message.sent',
  'message.delivered',
  'message.failed',
  'call.started',
  'call.answered',
  'call.ended',
  'call.updated',
  'call.recording_ready',
  'campaign.started',
  'campaign.paused',
  'campaign.resumed',
  'campaign.completed',
  'campaign.canceled',
  'campaign.progress',
  'import.finished',
  'import.undone',
  'document.ready',
  'document.failed',
  'api_key.created',
  'api_key.revoked',
  'webhook.disabled',
  'webhook.test',
]

/** The types that all roles receive. Events of resources that only owners may see are left out. */
export const event_types_for_all_roles = event_types.filter((type) => !/^(api_key|webhook)\./.test(type))

export const eventTypeOptions = (types: string[], all = 'All events') => [
  { group: 'All', items: [{ value: '*', label: all }] },
  ...[...new Set(types.map((type) => type.split('.')[0] ?? ''))].map((noun) => ({
    group: nounLabel(noun),
    items: [
      { value: `${noun}.*`, label: `All ${noun_names[noun] ?? noun} events` },
      ...types.filter((type) => type.startsWith(`${noun}.`)).map((type) => ({ value: type, label: type })),
    ],
  })),
]

const noun_names: Record<string, string> = { api_key: 'API key', test_run: 'test run' }

function nounLabel(noun: string): string {
  const name = noun_names[noun] ?? noun
  return name.charAt(0).toUpperCase() + name.slice(1)
}

const event_names: Record<string, string> = {
  'conversation.turn': 'Turn',
  'conversation.handed_over': 'Handed over',
  'conversation.taken_back': 'Returned to agent',
  'call.recording_ready': 'Recording ready',
}

/** "contact.created" is "Contact created". */
export function eventName(type: string): string {
  const known = event_names[type]
  if (known) return known
  const [noun = '', verb = ''] = type.split('.')
  return `${nounLabel(noun)} ${verb.replaceAll('_', ' ')}`
}
