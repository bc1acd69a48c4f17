import type { Contact } from '../contacts/schema.ts'
import * as contacts from '../contacts/store.ts'
import { timeZoneOf, zonesOf } from '../contacts/zones.ts'
import type { Conversation } from '../conversations/schema.ts'
import { countRuns } from '../conversations/tool-runs.ts'
import { type At, newHook } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { formats } from '../kit/http/validate-text.ts'
import { instantOf, localIso } from '../kit/time-zone.ts'
import { nextInQuietHours } from '../workspaces/quiet-hours.ts'
import type { Settings } from '../workspaces/schema.ts'
import * as workspaces from '../workspaces/store.ts'

const ahead_max_ms = 365 * clock.day_ms
/** A conversation can have this many, so that a contact can't make the agent fill the calendar. */
const callbacks_max = 3

export interface CallbackRequest {
  contact_id: string
  agent_id: string
  at: string
  conversation_id: string
  reason: string | null
}

/** Runs when an agent has promised to call the contact back, in the transaction that records the promise. */
export const callback_requested = newHook<CallbackRequest>('conversations.callback_requested')

/** The answer to the agent: when the contact is called, in the contact's time zone, or why not. */
export type CallbackAnswer =
  | { status: 'succeeded'; result: PromisedCallback }
  | { status: 'failed' | 'invalid_arguments'; result: string }

/** The promise, whose members a script may use. */
interface PromisedCallback {
  at: string
  date: string
  time: string
  time_zone: string
  is_moved: boolean
  /** Explains a time that was moved. */
  message?: string
}

/**
 * Promises a callback. The contact is called within `quiet_hours`, and a time outside of them is moved to when they
 * begin.
 */
export async function requestCallback(
  at: At,
  { id, agent_id, contact_id }: Conversation,
  input: Record<string, unknown>,
): Promise<CallbackAnswer> {
  const [known, settings, count] = await Promise.all([
    contacts.getMany(at, contact_id === null ? [] : [contact_id]),
    workspaces.readSettings(at),
    countRuns(at, { conversation_id: id, name: 'schedule_callback' }),
  ])
  const contact = known.get(contact_id ?? '')
  if (!contact) return failed('The contact was deleted.')
  const { answer, time } = answerCallback({ contact, settings, count, now: at.now }, input)
  if (time === undefined) return answer
  const reason = typeof input.reason === 'string' ? input.reason : null
  const request = { contact_id: contact.id, agent_id, at: clock.iso(time), conversation_id: id, reason }
  await at.hooks.run(at, callback_requested, request)
  return answer
}

interface CallbackParts {
  contact: Contact
  settings: Pick<Settings, 'time_zone' | 'quiet_hours'>
  /** The number of callbacks that the conversation has already. */
  count: number
  now: number
}

/** Returns the answer to the agent, and when the contact is called. Writes nothing. */
export function answerCallback(
  { contact, settings, count, now }: CallbackParts,
  input: Record<string, unknown>,
): { answer: CallbackAnswer; time?: number } {
  const time_zone = timeZoneOf(contact, { now, workspace_time_zone: settings.time_zone })
  const wanted = readTime(input.at, time_zone)
  const fault = timeFault(wanted, { now, time_zone })
  if (fault !== undefined) return { answer: { status: 'invalid_arguments', result: fault } }
  if (count >= callbacks_max)
    return { answer: failed(`At most ${callbacks_max} callbacks can be scheduled in a conversation.`) }
  const { phone_number, time_zone: contact_time_zone } = contact
  const zones = zonesOf({ contact_time_zone, phone_number, default_time_zone: settings.time_zone })
  const time = nextInQuietHours(settings.quiet_hours, zones, wanted)
  if (time === undefined) return { answer: failed('There is no hour in which this contact may be called.') }
  const result = promised(time, { time_zone, wanted, ...settings.quiet_hours })
  return { answer: { status: 'succeeded', result }, time }
}

const failed = (result: string): CallbackAnswer => ({ status: 'failed', result })

/**
 * Reads a time. One without an offset is in the zone, and is the first one if clocks show it twice there. Returns NaN
 * if it is no time.
 */
function readTime(time: unknown, time_zone: string): number {
  const text = String(time)
  const isTime = (one: string) => text.includes('T') && !formats['date-time']?.(one)
  if (isTime(text)) return clock.parse(text)
  return isTime(`${text}Z`) ? instantOf(time_zone, clock.parse(`${text}Z`), 'earlier') : Number.NaN
}

/** Returns why the agent can't call at this time, in words for the model, or undefined if it can. */
function timeFault(time: number, { now, time_zone }: { now: number; time_zone: string }): string | undefined {
  if (Number.isNaN(time)) return `at must be a time in ${time_zone} such as 2026-11-17T09:00.`
  if (time <= now) return `at must be in the future: it is ${localIso(time_zone, now)}.`
  return time > now + ahead_max_ms ? 'at must be within a year.' : undefined
}

function promised(
  time: number,
  { time_zone, wanted, start, end }: { time_zone: string; wanted: number; start: string; end: string },
): PromisedCallback {
  const text = localIso(time_zone, time)
  const message = `People are called between ${start} and ${end} only. Tell the contact the new time.`
  const is_moved = time !== wanted
  return {
    at: text,
    date: text.slice(0, 10),
    time: text.slice(11, 16),
    time_zone,
    is_moved,
    ...(is_moved && { message }),
  }
}
