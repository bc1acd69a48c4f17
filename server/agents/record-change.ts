import type { EventType } from '../events/catalog.ts'
import * as events from '../events/store.ts'
import type { At } from '../kit/at.ts'
import { changing_fields, event_types } from './event-types.ts'
import { withoutDraft } from './find.ts'
import type { AgentWithDraft } from './schema.ts'

/** Records an event with the agent as in a list. `is_forced` says that tests were required and had not passed. */
export const recordDeployment = (
  at: At,
  { is_forced, ...change }: { before: AgentWithDraft; after: AgentWithDraft; is_forced: boolean },
): Promise<void> => recordChange(at, event_types.deployed, change, { is_forced })

/** Records an event with the agent as in a list, and the previous values of the fields that changed. */
export function recordChange(
  at: At,
  type: EventType,
  { before, after }: { before: AgentWithDraft; after: AgentWithDraft },
  more: object = {},
): Promise<void> {
  const changed = changing_fields.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  const previous = Object.fromEntries(changed.map((name) => [name, before[name]]))
  return events.record(at, type, [{ data: { ...withoutDraft(after), ...more }, previous }])
}
