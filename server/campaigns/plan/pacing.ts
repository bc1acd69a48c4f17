import { second_ms } from '../../kit/clock.ts'
import type { DialedCampaign } from './candidate.ts'

/**
 * Returns how many attempts may begin in the second that `now` begins. This depends on the second only: attempts that
 * were not made are lost, so that a campaign which was held up doesn't begin many at once.
 */
export function startsIn(campaign: Pick<DialedCampaign, 'pacing' | 'running_since'>, now: number): number {
  const second = Math.floor((now - (campaign.running_since ?? now)) / second_ms)
  if (second < 0) return 0
  return startsUntil(campaign.pacing, second + 1) - startsUntil(campaign.pacing, second)
}

/** Limits how many seconds without a start are skipped. A rate that is still growing may have none for longer. */
const skipped_max = 200

/** Returns the first second after `now` in which an attempt may begin, or a later one at which to look again. */
export function nextStart(campaign: Pick<DialedCampaign, 'pacing' | 'running_since'>, now: number): number {
  for (let seconds = 1; seconds < skipped_max; seconds += 1)
    if (startsIn(campaign, now + seconds * second_ms) > 0) return now + seconds * second_ms
  return now + skipped_max * second_ms
}

/** Returns the number of starts in this many seconds. The rate grows evenly while it ramps up. */
function startsUntil({ starts_per_second, ramp_minutes }: DialedCampaign['pacing'], seconds: number): number {
  const ramp = ramp_minutes * 60
  const at_full_rate = seconds < ramp ? seconds ** 2 / (2 * ramp) : seconds - ramp / 2
  // The small addend is needed because 0.29 times 100 is a little below 29.
  return Math.floor(starts_per_second * at_full_rate + 1e-9)
}

/** This many enrollments are looked at in one second, besides those that may be attempted. */
const looked_at_max = 500

/**
 * Returns how many enrollments are looked at in one second: enough that deferred and finished ones don't keep others
 * from being attempted.
 */
export const limitIn = (campaign: Pick<DialedCampaign, 'pacing' | 'running_since'>, second: number): number =>
  2 * startsIn(campaign, second) + looked_at_max
