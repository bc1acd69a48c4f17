import { chooseActive, explainNoChoice } from '../channels/choose.ts'
import type { EventType } from '../events/catalog.ts'
import * as events from '../events/store.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { invalidState } from '../kit/problem.ts'
import { announce } from '../kit/work/rows.ts'
import { isEnrolling, stopEnrolling } from './enrolling-work.ts'
import { event_types } from './event-types.ts'
import { type Changes, table, updateStatus } from './rows.ts'
import { type Campaign, final_statuses, type PauseReason, type Status } from './schema.ts'
import { get, lock } from './store.ts'

export type Verb = 'start' | 'pause' | 'resume' | 'cancel'

/** Returns the status after the verb, or undefined when the campaign's status doesn't allow the verb. @internal */
export function statusAfter(
  verb: Verb,
  { status, starts_at, pause_reason }: Pick<Campaign, 'status' | 'starts_at' | 'pause_reason'>,
  now: number,
): Status | undefined {
  const begun: Status = starts_at !== null && clock.parse(starts_at) > now ? 'scheduled' : 'running'
  switch (verb) {
    case 'start':
      return status === 'draft' ? begun : undefined
    case 'pause':
      return status === 'running' || status === 'scheduled' || pause_reason === 'circuit_breaker' ? 'paused' : undefined
    case 'resume':
      return status === 'paused' ? begun : undefined
    case 'cancel':
      return final_statuses.includes(status) ? undefined : 'canceled'
  }
}

/** Starts a campaign. Before `starts_at` it is `scheduled`, and the event follows when it begins. */
export async function start(at: At, id: string): Promise<Campaign> {
  const { campaign, status } = await lockFor(at, id, 'start')
  await assertStartable(at, campaign)
  return begin(at, { campaign, status, event_type: event_types.started })
}

export async function resume(at: At, id: string): Promise<Campaign> {
  const { campaign, status } = await lockFor(at, id, 'resume')
  return begin(at, { campaign, status, event_type: event_types.resumed })
}

/** Pauses a campaign. Nothing more is dialled after the answer. */
export async function pause(at: At, id: string): Promise<Campaign> {
  const { campaign, status } = await lockFor(at, id, 'pause')
  return change(at, {
    campaign,
    status,
    pause_reason: 'requested',
    due_at: null,
    is_probing: false,
    held_until: null,
    event_type: event_types.paused,
  })
}

/** Cancels a campaign. Attempts in progress may end. The open enrollments are canceled in the background. */
export async function cancel(at: At, id: string): Promise<Campaign> {
  const { campaign, status } = await lockFor(at, id, 'cancel')
  await stopEnrolling(at, id)
  announce(at, { table: table.name })
  const due_at = clock.iso(at.now)
  return change(at, { campaign, status, due_at, is_probing: false, held_until: null, event_type: event_types.canceled })
}

async function lockFor(at: At, id: string, verb: Verb): Promise<{ campaign: Campaign; status: Status }> {
  const campaign = await lock(at, id)
  const status = statusAfter(verb, campaign, at.now)
  if (status === undefined)
    throw invalidState(`A campaign that is ${campaign.status} can't be ${past[verb]}.`, { status: campaign.status })
  return { campaign, status }
}

const past: Record<Verb, string> = { start: 'started', pause: 'paused', resume: 'resumed', cancel: 'canceled' }

async function assertStartable(at: At, campaign: Campaign): Promise<void> {
  const { id, status, counts, ends_at } = campaign
  const refuse = (message: string) => invalidState(message, { status })
  if (counts.enrolled === 0 && !(await isEnrolling(at, id)))
    throw refuse('No contacts are enrolled. Enroll contacts first.')
  if (ends_at !== null && clock.parse(ends_at) <= at.now) throw refuse('ends_at is in the past. Change it first.')
}

/**
 * Returns the channels that the campaign keeps. Without a choice it keeps the only active one, so that another one that
 * is added later does not stop it.
 */
async function findChannels(at: At, { kind, status, channel_ids }: Campaign): Promise<string[]> {
  if (channel_ids.length > 0) return channel_ids
  const only = await chooseActive(at, kind)
  if (only) return [only.id]
  throw invalidState(await explainNoChannel(at, kind), { status })
}

/** Explains why a campaign without chosen channels has none, when `chooseActive` has found none. */
export async function explainNoChannel(at: At, kind: Campaign['kind']): Promise<string> {
  const { is_none, reason } = await explainNoChoice(at, kind)
  const advice = is_none ? 'Connect one, or choose the channels of the campaign' : 'Choose the channels of the campaign'
  return `The workspace has ${reason}. ${advice}.`
}

interface CampaignBegin {
  campaign: Campaign
  status: Status
  event_type: EventType
}

/**
 * Lets a campaign begin. Pacing grows from now on, and attempts that ended before don't count for the circuit breaker.
 */
async function begin(at: At, { campaign, status, event_type }: CampaignBegin): Promise<Campaign> {
  const now = clock.iso(at.now)
  const channel_ids = await findChannels(at, campaign)
  const due =
    status === 'scheduled'
      ? { due_at: campaign.starts_at }
      : { due_at: now, running_since: now, breaker_since: now, is_probing: false, held_until: null }
  announce(at, { table: table.name })
  const is_silent = status === 'scheduled' && event_type === event_types.started
  return change(at, { campaign, status, channel_ids, ...due, event_type: is_silent ? undefined : event_type })
}

interface StatusChange extends Changes {
  /** The campaign, which the transaction has locked. */
  campaign: Campaign
  status: Status
  pause_reason?: PauseReason
  event_type: EventType | undefined
}

/** Writes the new status of a locked campaign, and records the event. */
export async function change(at: At, { campaign, event_type, ...changes }: StatusChange): Promise<Campaign> {
  await updateStatus(at, campaign, changes)
  const data = await get(at, campaign.id)
  if (event_type) await events.record(at, event_type, [{ data }])
  return data
}
