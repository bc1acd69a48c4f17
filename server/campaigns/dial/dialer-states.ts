import type { At } from '../../kit/at.ts'
import * as clock from '../../kit/clock.ts'
import { event_types } from '../event-types.ts'
import type { PauseReason } from '../schema.ts'
import { change } from '../state.ts'
import * as campaigns from '../store.ts'
import type { StoredCampaign } from '../stored-campaign.ts'

/** These functions write what the dialer changes in campaigns. The transaction has locked them. */

/**
 * Lets a campaign run that was scheduled, or that the circuit breaker had paused: then it makes one attempt at a time,
 * until one succeeds.
 */
export async function run(at: At, { id, status }: StoredCampaign): Promise<void> {
  const now = clock.iso(at.now)
  const is_scheduled = status === 'scheduled'
  await change(at, {
    campaign: await campaigns.get(at, id),
    status: 'running',
    due_at: now,
    running_since: now,
    breaker_since: now,
    is_probing: !is_scheduled,
    event_type: is_scheduled ? event_types.started : event_types.resumed,
  })
}

/** Pauses a campaign. Without `due_at` it stays paused until someone resumes it. */
export async function pauseByDialer(
  at: At,
  { id }: StoredCampaign,
  { reason, due_at }: { reason: PauseReason; due_at: number | undefined },
): Promise<void> {
  await change(at, {
    campaign: await campaigns.get(at, id),
    status: 'paused',
    pause_reason: reason,
    due_at: clock.isoOptional(due_at && clock.ceilTo(due_at, clock.second_ms)),
    event_type: event_types.paused,
  })
}

export async function complete(at: At, { id }: StoredCampaign): Promise<void> {
  const campaign = await campaigns.get(at, id)
  await change(at, { campaign, status: 'completed', due_at: null, event_type: event_types.completed })
}
