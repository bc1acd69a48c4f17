import type { AuditEntry } from '../../../server/audit/schema.ts'
import { describeActor } from '../events/describe.ts'

/** "Ada Lovelace", "API key CRM sync". A failed sign-in has no known actor. */
export const describeWho = ({ actor }: Pick<AuditEntry, 'actor'>): string =>
  actor.type === 'person' && actor.id === null ? 'Unknown' : describeActor({ actor })

const noun_names: Record<string, string> = {
  api_key: 'API key',
  provider: 'Model provider',
  enrollment: 'Campaign contact',
  agent_test: 'Test',
}

/** Names the subject as it is called now, or as "Agent 5f0c2a9e" if it was deleted or has no name. */
export function describeSubject({ subject }: Pick<AuditEntry, 'subject'>): string {
  if (!subject) return ''
  if (subject.name !== null) return subject.name
  const noun = noun_names[subject.type] ?? subject.type.charAt(0).toUpperCase() + subject.type.slice(1)
  return `${noun} ${subject.id?.slice(-8) ?? ''}`.trim()
}
