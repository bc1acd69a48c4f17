import { findVersion } from '../../agents/find-version.ts'
import type { FoundAgent } from '../../agents/schema.ts'
import * as calls from '../../calls/queue.ts'
import type { Row } from '../../calls/rows.ts'
import { canBegin, chooseActive } from '../../channels/choose.ts'
import * as channels from '../../channels/store.ts'
import { shareFree } from '../../contacts/share-many.ts'
import {
  type Beginning,
  findAgent,
  insert as insertConversations,
  newConversation,
  openVersions,
} from '../../conversations/begin.ts'
import { type At, simulatesPeople, timeStands } from '../../kit/at.ts'
import * as clock from '../../kit/clock.ts'
import { newId } from '../../kit/id.ts'
import { sql } from '../../kit/postgres/sql.ts'
import * as counts from '../counts.ts'
import { setDialing } from '../enrollment-rows.ts'
import { is_waiting } from '../enrollment-status.ts'
import { closingOf } from '../plan/rules.ts'
import type { StoredCampaign } from '../stored-campaign.ts'
import * as attempts from './attempts.ts'
import type { DueEnrollment } from './candidates.ts'

/** A call that was not dialled this long after the decision is decided anew. */
export const dial_within_ms = 10_000

/** The agent of a campaign, and the channels to reach contacts from. */
export interface Sender {
  agent: FoundAgent
  /**
   * Chooses the version for a counterpart: the phone number for calls, and the contact's id for messages, as without a
   * campaign.
   */
  versionFor: (counterpart: string) => Promise<Beginning['version']>
  channels: channels.StoredChannel[]
}

/**
 * Finds the agent and the channels. Returns undefined if no channel can be used. Shares the agent, so that it is not
 * deleted before the transaction ends.
 */
export async function findSender(at: At, campaign: StoredCampaign): Promise<Sender | undefined> {
  const { agent_id, agent_version, channel_ids, kind } = campaign
  const [agent, only, named] = await Promise.all([
    findAgent(at, agent_id),
    channel_ids.length === 0 ? chooseActive(at, kind) : undefined,
    Promise.all(channel_ids.map((id) => channels.find(at, id))),
  ])
  const usable = [only, ...named].flatMap((channel) => (channel && canBegin(channel, kind) ? [channel] : []))
  if (!agent || usable.length === 0) return undefined
  const pinned = agent_version && (await findVersion(at, { agent_id, version_id: agent_version.id }))
  const versions = openVersions(at)
  return { agent, channels: usable, versionFor: async (counterpart) => pinned ?? versions(agent, counterpart) }
}

/** Chooses a channel by the person, so that someone is always called from the same number. */
const channelFor = ({ channels }: Sender, { rank }: DueEnrollment): channels.StoredChannel | undefined =>
  channels[(rank >>> 0) % channels.length]

/**
 * Claims attempts: each enrollment becomes `dialing`, and gets a call that is queued, or a conversation in which the
 * agent writes first. Calls and messages go out after the commit. Contacts that were deleted meanwhile are left out.
 * Returns how many were claimed.
 */
export async function dispatch(
  at: At,
  { campaign, sender, chosen }: { campaign: StoredCampaign; sender: Sender; chosen: DueEnrollment[] },
): Promise<number> {
  if (chosen.length === 0) return 0
  // Contacts that others are changing are left out, because these transactions may wait for this campaign. Their
  // enrollments stay due.
  const shared = await shareFree(
    at,
    chosen.map(({ contact_id }) => contact_id),
  )
  const free = await lockFree(
    at,
    chosen.filter(({ contact_id }) => shared.has(contact_id)).map(({ id }) => id),
  )
  const wanted = chosen.filter(({ id }) => free.has(id)).map((enrollment) => ({ enrollment, id: newId() }))
  const begun =
    campaign.kind === 'sms'
      ? await beginConversations(at, { campaign, sender, wanted })
      : await beginCalls(at, { campaign, sender, wanted })
  await Promise.all([
    setDialing(at, campaign.kind === 'sms' ? 'last_conversation_id' : 'last_call_id', begun),
    attempts.insert(
      at,
      begun.map(({ enrollment, id }) => newAttempt(at, { campaign, enrollment, id })),
    ),
    counts.count(
      at,
      begun.map(({ enrollment }) => ({
        campaign_id: campaign.id,
        counted: 'status',
        from: enrollment.status,
        to: 'dialing',
      })),
    ),
  ])
  return begun.length
}

interface ChosenAttempt {
  enrollment: DueEnrollment
  /** The id that the call or the conversation gets. */
  id: string
}

interface AttemptsToBegin {
  campaign: StoredCampaign
  sender: Sender
  wanted: ChosenAttempt[]
}

async function beginCalls(at: At, { campaign, sender, wanted }: AttemptsToBegin): Promise<ChosenAttempt[]> {
  await calls.insert(
    at,
    await Promise.all(wanted.map(({ enrollment, id }) => toCall(at, { campaign, sender, enrollment, id }))),
  )
  return wanted
}

/** Begins conversations. Leaves out people who have begun to write meanwhile. */
async function beginConversations(at: At, { campaign, sender, wanted }: AttemptsToBegin): Promise<ChosenAttempt[]> {
  const beginning = await Promise.all(
    wanted.map(async ({ enrollment, id }) => ({
      conversation: newConversation(at, {
        id,
        kind: 'sms',
        agent: sender.agent,
        version: await sender.versionFor(enrollment.contact_id),
        awaits_answer: true,
        channel_id: channelFor(sender, enrollment)?.id ?? null,
        contact_id: enrollment.contact_id,
        counterpart: enrollment.contact.phone_number,
        variables: { ...campaign.variables, ...enrollment.variables },
      }),
    })),
  )
  const inserted = await insertConversations(at, beginning)
  return wanted.filter(({ id }) => inserted.has(id))
}

/** Locks the enrollments that may be attempted, and returns their ids. */
async function lockFree({ db, workspace }: At, ids: string[]): Promise<Set<string>> {
  const free = await db.many<{ id: string }>(
    sql`select id from enrollments where workspace_id = ${workspace} and id = any(${ids}::uuid[])
        and ${is_waiting}
      order by id for no key update`,
  )
  return new Set(free.map(({ id }) => id))
}

/** Numbers the next attempt. No two attempts of an enrollment have the same number. */
export const numberOf = ({ attempts, earlier_attempts }: DueEnrollment): number => earlier_attempts + attempts + 1

export const newAttempt = (
  { now }: At,
  { campaign, enrollment, id }: { campaign: StoredCampaign; enrollment: DueEnrollment; id: string },
) => ({
  id,
  campaign_id: campaign.id,
  enrollment_id: enrollment.id,
  attempt: numberOf(enrollment),
  phone_hmac: enrollment.phone_hmac,
  at: now,
})

interface CallToBegin {
  campaign: StoredCampaign
  sender: Sender
  enrollment: DueEnrollment
  id: string
}

/** Makes the row of a call. The variables of the enrollment come before those of the campaign. */
export async function toCall(at: At, { campaign, sender, enrollment, id }: CallToBegin): Promise<Row> {
  const { contact } = enrollment
  const channel = channelFor(sender, enrollment) ?? null
  const version = await sender.versionFor(contact.phone_number)
  const dialBefore = () => Math.min(at.now + dial_within_ms, closingOf(campaign, enrollment, at.now))
  return calls.newCall(at, {
    id,
    agent: sender.agent,
    version,
    channel,
    to: contact.phone_number,
    contact_id: contact.id,
    is_test: simulatesPeople(at) || channel?.provider === 'simulator',
    line: calls.lineOf(at, channel),
    attempt: numberOf(enrollment),
    status: 'queued',
    campaign_id: campaign.id,
    variables: { ...campaign.variables, ...enrollment.variables },
    dial_key: `${enrollment.id}:${numberOf(enrollment)}`,
    dial_before: timeStands(at) ? null : clock.iso(dialBefore()),
    leaves_voicemail: campaign.voicemail === 'leave',
  })
}
