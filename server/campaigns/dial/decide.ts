import { type At, type AtOutside, inTransaction, timeStands } from '../../kit/at.ts'
import * as clock from '../../kit/clock.ts'
import type { Lease } from '../../kit/work/rows.ts'
import * as workspaces from '../../workspaces/store.ts'
import * as counts from '../counts.ts'
import { cancelSome, reviewSome } from '../enrollment-batches.ts'
import { deferRows, finishRows } from '../enrollment-rows.ts'
import { hasRecovered, resume_after_ms } from '../plan/breaker.ts'
import type { Candidate } from '../plan/candidate.ts'
import { limitIn } from '../plan/pacing.ts'
import { type Plan, plan } from '../plan/plan.ts'
import { recordProgress } from '../progress.ts'
import { recordDecision } from '../rows.ts'
import { lockLeased, type StoredCampaign } from '../stored-campaign.ts'
import * as attempts from './attempts.ts'
import { readDue } from './candidates.ts'
import { complete, pauseByDialer, run } from './dialer-states.ts'
import { dial_within_ms, dispatch, findSender } from './dispatch.ts'
import { nextDue } from './due.ts'
import { endUnanswered } from './ends.ts'
import { takeBackLate } from './hold.ts'
import { readLoad } from './load.ts'
import { canSpeak } from './speech.ts'

/**
 * Decides for one campaign what to do in this second, once. Locks the workspace, so that no other dialer decides meanwhile: caps
 * and limits hold over all campaigns. Returns whether there is more to do at once.
 */
export async function decide(at: AtOutside, lease: Lease): Promise<boolean> {
  const can_speak = await canSpeak(at, lease.id)
  return inTransaction(at, async (at) => {
    await workspaces.lock(at)
    const campaign = await lockLeased(at, lease)
    const second = clock.floorTo(at.now, clock.second_ms)
    const { decided_at = Number.NEGATIVE_INFINITY, status, held_until = 0 } = campaign
    if (status === 'canceled') return cancelRest(at, campaign)
    // A test clock stops at each due time, so decisions there have the time of a whole second.
    const is_early = decided_at >= second || held_until > at.db.time() || (timeStands(at) && second !== at.now)
    if (is_early) {
      const due_at = Math.max(campaign.due_at ?? 0, decided_at + clock.second_ms, second + clock.second_ms)
      await recordDecision(at, lease.id, { due_at })
      return false
    }
    const is_broken = status === 'paused' && campaign.pause_reason === 'circuit_breaker'
    if (status === 'scheduled' || is_broken) return begin(at, campaign)
    if (status !== 'running') {
      await recordDecision(at, lease.id, { due_at: undefined })
      return false
    }
    if (campaign.must_review) {
      await reviewSome(at, campaign)
      return true
    }
    await decideIn(at, { campaign, second, can_speak })
    return false
  })
}

/** Cancels what is left of a canceled campaign. Its messages may still be replied to. */
async function cancelRest(at: At, campaign: StoredCampaign): Promise<boolean> {
  if (campaign.kind === 'sms') await endUnanswered(at, campaign.id)
  return cancelSome(at, campaign)
}

/**
 * Lets the campaign run: at the time that was chosen, or after the circuit breaker has paused it. Returns whether it
 * runs.
 */
async function begin(at: At, campaign: StoredCampaign): Promise<boolean> {
  const { id, starts_at = 0, status } = campaign
  if (status === 'scheduled' && starts_at > at.now) {
    await recordDecision(at, id, { due_at: starts_at })
    return false
  }
  await run(at, campaign)
  return true
}

interface Decision {
  campaign: StoredCampaign
  second: number
  can_speak: boolean
}

async function decideIn(at: At, { campaign, second, can_speak }: Decision): Promise<void> {
  const { ends_at = Number.POSITIVE_INFINITY } = campaign
  const until = ends_at <= second ? clock.time_max_ms : at.now
  if (campaign.kind === 'sms') await endUnanswered(at, campaign.id)
  else if (!timeStands(at)) await takeBackLate(at, campaign.id)
  const [sender, due, recent, load] = await Promise.all([
    findSender(at, campaign),
    readDue(at, campaign, { until, limit: limitIn(campaign, second) }),
    attempts.readRecent(at, campaign.id),
    readLoad(at, campaign),
  ])
  const is_probing = campaign.is_probing && !hasRecovered(recent, campaign.breaker_since)
  // The plan is urgent, because others wait for the locks.
  const planned = await plan(
    { now: second, campaign: { ...campaign, is_probing }, load, due, recent },
    { is_urgent: true },
  )
  const pause = planned.pause ?? (sender ? (can_speak ? undefined : 'speech_not_installed') : 'no_channel')
  const claimed = sender && !pause ? await dispatch(at, { campaign, sender, chosen: planned.dial }) : 0
  await Promise.all([deferRows(at, planned.defer), finish(at, campaign.id, planned.finish)])
  if (pause) {
    const due_at = pause === 'circuit_breaker' ? at.now + resume_after_ms : undefined
    await pauseByDialer(at, campaign, { reason: pause, due_at })
    return
  }
  const next = await nextDue(at, campaign)
  const is_done = next.due_at === undefined && next.attempt_ends_at === undefined && !next.is_open
  if (is_done) {
    await complete(at, campaign)
    return
  }
  const later = second + clock.second_ms
  // A campaign that has all its attempts is due when one ends: a call that ends wakes it.
  const is_full = load.in_flight + claimed >= campaign.pacing.in_flight_max
  const wanted = is_full ? next.attempt_ends_at : (planned.next_at ?? next.due_at ?? next.attempt_ends_at)
  // The campaign is due again in time to find calls that were not dialled.
  const due_at =
    next.is_open && !timeStands(at) ? Math.min(wanted ?? clock.time_max_ms, second + dial_within_ms) : wanted
  const has_changed = claimed + planned.finish.length > 0
  const progress_at = has_changed ? await recordProgress(at, campaign) : undefined
  await recordDecision(at, campaign.id, {
    due_at: due_at === undefined ? undefined : Math.max(later, clock.ceilTo(due_at, clock.second_ms)),
    decided_at: second,
    is_probing,
    progress_at,
  })
}

/** Ends enrollments that no attempt follows. */
async function finish(at: At, campaign_id: string, finished: Plan<Candidate>['finish']): Promise<void> {
  if (finished.length === 0) return
  const changed = await finishRows(at, finished)
  await counts.count(
    at,
    finished.flatMap(({ candidate, status }) =>
      changed.has(candidate.id) ? [{ campaign_id, counted: 'status', from: candidate.status, to: status }] : [],
    ),
  )
}
