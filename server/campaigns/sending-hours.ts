import * as contacts from '../contacts/store.ts'
import { zonesOf } from '../contacts/zones.ts'
import type { At } from '../kit/at.ts'
import { letOthersRun } from '../kit/let-others-run.ts'
import { sql, toArrayLiteral } from '../kit/postgres/sql.ts'
import { hoursOf, isOpen, nextOpening } from './plan/windows.ts'
import { readCampaign, type StoredCampaign } from './stored-campaign.ts'

/**
 * Returns until when messages must wait. A message of a campaign may wait in the queue until the hours are over, and
 * then it waits for the next ones.
 */
export async function keepHours(at: At, messages: { conversation_id: string }[]): Promise<Map<string, number>> {
  const { db, workspace } = at
  const conversation_ids = messages.map(({ conversation_id }) => conversation_id)
  const waiting = await db.many<{ conversation_id: string; campaign_id: string; contact_id: string }>(
    sql`select last_conversation_id as conversation_id, campaign_id, contact_id from enrollments
      where workspace_id = ${workspace} and last_conversation_id = any(${toArrayLiteral(conversation_ids)}::uuid[])
        and status = 'dialing'`,
  )
  const delayed_until = new Map<string, number>()
  if (waiting.length === 0) return delayed_until
  const campaign_ids = [...new Set(waiting.map(({ campaign_id }) => campaign_id))]
  const [found, known] = await Promise.all([
    Promise.all(campaign_ids.map((id) => readCampaign(at, sql`workspace_id = ${workspace} and id = ${id}`))),
    contacts.getMany(
      at,
      waiting.map(({ contact_id }) => contact_id),
    ),
  ])
  const campaigns = new Map(found.flatMap((campaign) => (campaign ? [[campaign.id, campaign] as const] : [])))
  for (const { conversation_id, campaign_id, contact_id } of waiting) {
    await letOthersRun({ is_urgent: true })
    const [campaign, contact] = [campaigns.get(campaign_id), known.get(contact_id)]
    const until = campaign && contact && closedUntil(at, campaign, contact)
    if (until !== undefined) delayed_until.set(conversation_id, until)
  }
  return delayed_until
}

/**
 * Returns when the hours open again. Returns undefined when they are open, or never open again: then the rules have
 * ended the enrollment.
 */
function closedUntil(
  { now }: At,
  campaign: StoredCampaign,
  { time_zone, phone_number }: { time_zone: string | null; phone_number: string },
): number | undefined {
  const zones = zonesOf({ contact_time_zone: time_zone, phone_number, default_time_zone: campaign.time_zone })
  const { both } = hoursOf(campaign)
  return isOpen(both, zones, now) ? undefined : nextOpening(both, zones, now)
}
