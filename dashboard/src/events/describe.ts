import type { Event } from '../../../server/events/schema.ts'
import { outcome_names } from '../calls/call.ts'
import { formatDuration } from '../kit/format.ts'

const actor_names = {
  key: 'API key',
  person: 'Person',
  agent: 'Agent',
  integration: 'Integration',
  operator: 'Command line',
  system: 'System',
}

/**
 * Names the actor: "Ada Lovelace", "API key CRM sync", "Command line". Events from before actors were recorded have
 * none.
 */
export function describeActor({ actor }: Pick<Event, 'actor'>): string {
  if (!actor) return ''
  const { type, name } = actor
  if (name === null) return actor_names[type]
  return type === 'person' ? name : `${actor_names[type]} ${name}`
}

/** Describes what the event is about: "Wei Wałęsa · Dental recall · 2:05". */
export function describeSubject({ type, subject, data }: Pick<Event, 'type' | 'subject' | 'data'>): string {
  const details = type.startsWith('call.') ? describeCall(data) : []
  return [subject?.name, ...details].filter(Boolean).join(' · ')
}

/** Describes a call. The data of events has the fields of its resource, in the version of its time. */
function describeCall(call: { agent_name?: string; duration_ms?: number | null; outcome?: string | null }): string[] {
  const { agent_name, duration_ms, outcome } = call
  return [
    agent_name ?? '',
    typeof duration_ms === 'number' ? formatDuration(duration_ms) : '',
    outcome && outcome !== 'answered' ? ((outcome_names as Record<string, string>)[outcome] ?? '') : '',
  ]
}
