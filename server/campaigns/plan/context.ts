import type { RuleName } from '../explain-schema.ts'
import { isBroken } from './breaker.ts'
import type { DialedCampaign, EndedAttempt, Load } from './candidate.ts'
import { startsIn } from './pacing.ts'
import { type Hours, hoursOf } from './windows.ts'

/** The facts on which decisions in one second depend, beside the candidates. */
export interface Situation {
  now: number
  campaign: DialedCampaign
  load: Load
  recent: readonly EndedAttempt[]
}

/** The facts that rules know beside the candidate. */
export interface Context extends Load {
  now: number
  campaign: DialedCampaign
  hours: Hours
  is_broken: boolean
  /** The number of attempts that may still begin in this second. */
  starts_left: number
}

/**
 * What a rule says. `until` is the first time when it passes, or undefined if that is not known, as while a campaign is
 * paused.
 */
export type Verdict =
  | { verdict: 'pass' }
  | { verdict: 'defer'; until: number | undefined }
  | { verdict: 'skip' | 'fail' | 'expire' | 'done'; reason: string }
export type Fault = Exclude<Verdict, { verdict: 'pass' }> & { rule: RuleName }

export function contextOf({ now, campaign, load, recent }: Situation): Context {
  return {
    now,
    campaign,
    hours: hoursOf(campaign),
    is_broken: isBroken(recent, now, campaign.breaker_since),
    starts_left: startsIn(campaign, now),
    in_flight: load.in_flight,
    room: load.room,
  }
}
