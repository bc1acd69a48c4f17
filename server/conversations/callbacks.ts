import { type At, newHook } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { formats } from '../kit/http/validate-text.ts'
import type { Conversation } from './schema.ts'
import { countRuns } from './tool-runs.ts'

const ahead_max_ms = 365 * clock.day_ms
/** Of one conversation, so that a contact can't make the agent fill the calendar. */
const callbacks_max = 3

export interface CallbackRequest {
  contact_id: string
  agent_id: string
  at: string
  conversation_id: string
  reason: string | null
}

/** An agent has promised to call the contact back. Runs in the transaction that records the promise. */
export const callback_requested = newHook<CallbackRequest>('conversations.callback_requested')

/** Why the agent can't call back then, in words for the model. Undefined if it can. */
export function callbackTimeFault({ now }: At, time: unknown): string | undefined {
  const text = String(time)
  const is_time = text.includes('T') && !formats['date-time']?.(text)
  if (!is_time) return 'at must be a time such as 2026-11-17T09:00:00Z.'
  const time_ms = clock.parse(text)
  if (time_ms <= now) return 'at must be in the future.'
  return time_ms > now + ahead_max_ms ? 'at must be within a year.' : undefined
}

/** Undefined when the callback is requested, else why not. */
export async function requestCallback(
  at: At,
  { id, agent_id, contact_id }: Conversation,
  input: Record<string, unknown>,
): Promise<string | undefined> {
  if (contact_id === null) return 'The contact was deleted.'
  const count = await countRuns(at, { conversation_id: id, name: 'schedule_callback' })
  if (count >= callbacks_max) return `At most ${callbacks_max} callbacks can be scheduled in a conversation.`
  await at.hooks.run(at, callback_requested, {
    contact_id,
    agent_id,
    at: clock.iso(clock.parse(String(input.at))),
    conversation_id: id,
    reason: typeof input.reason === 'string' ? input.reason : null,
  })
  return undefined
}
