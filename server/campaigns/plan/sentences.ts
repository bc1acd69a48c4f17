import { iso } from '../../kit/clock.ts'
import { localDay, localTime } from '../../kit/time-zone.ts'
import type { RuleName } from '../explain-schema.ts'
import { final_statuses } from '../schema.ts'
import { breaker_errors, breaker_opt_outs } from './breaker.ts'
import type { Candidate, Refusal } from './candidate.ts'
import { capsFreeAt } from './caps.ts'
import type { Context, Verdict } from './context.ts'
import { callback_attempts_max } from './retry.ts'
import { isOpen, type Schedule, search_days_max, weekdayOf } from './windows.ts'

const day_names = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

type Sentence = (candidate: Candidate, context: Context, verdict: Verdict) => string

const refusals: Record<Refusal, string> = {
  opted_out: 'The contact has opted out.',
  suppressed: 'The number is suppressed.',
  country_not_allowed: 'The country of the number is not allowed.',
  no_consent: 'The campaign requires consent, and the contact has not agreed.',
}

/** Says in words why a rule gave its verdict. */
export const sentences: Record<RuleName, Sentence> = {
  campaign,
  consent: ({ refusal }) => (refusal ? refusals[refusal] : 'The contact may be reached.'),
  conversation: (_, __, { verdict }) =>
    verdict === 'pass'
      ? 'No call or conversation with the contact is open.'
      : 'A call or a conversation with the contact is open. It is checked again after a minute.',
  attempts,
  caps,
  quiet_hours: ({ zones }, { campaign, now, hours }, verdict) =>
    open(zones, now, hours.quiet_hours, verdict, `${campaign.quiet_hours.start} to ${campaign.quiet_hours.end}`),
  windows: ({ callback_at, zones }, { now, hours }, verdict) =>
    callback_at === undefined
      ? open(zones, now, hours.windows, verdict, "the campaign's windows")
      : 'The contact has asked for this time. Windows do not apply.',
  breaker,
  pacing,
}

function campaign({ status }: Candidate, { campaign, now }: Context, { verdict }: Verdict): string {
  const { ends_at, starts_at } = campaign
  if (verdict === 'done') {
    return final_statuses.includes(campaign.status)
      ? `The campaign is ${campaign.status}.`
      : `The enrollment is ${status}.`
  }
  if (verdict === 'expire' && ends_at !== undefined) return `The campaign ended at ${iso(ends_at)}.`
  if (verdict === 'defer' && starts_at !== undefined && starts_at > now)
    return `The campaign starts at ${iso(starts_at)}.`
  return `The campaign is ${campaign.status}.`
}

function attempts(candidate: Candidate, { campaign, now }: Context, { verdict }: Verdict): string {
  const { attempts, last_outcome, outcomes, next_attempt_at = 0, callback_at } = candidate
  const attempts_max = callback_at === undefined ? campaign.attempts_max : callback_attempts_max
  const not_before = Math.max(next_attempt_at, callback_at ?? 0)
  if (verdict === 'fail' && attempts < attempts_max && last_outcome) {
    const count = outcomes[last_outcome] ?? 0
    return `${count} ${count === 1 ? 'attempt' : 'attempts'} ended with ${last_outcome}. No other follows after that.`
  }
  const used = `${attempts} of ${attempts_max} attempts were made.`
  if (verdict !== 'defer') return used
  const why =
    callback_at === not_before && callback_at > now ? 'The contact has asked to be called' : 'The next follows'
  return `${used} ${why} at ${iso(not_before)}.`
}

function caps(candidate: Candidate, { campaign, now }: Context, { verdict }: Verdict): string {
  if (candidate.callback_at !== undefined) return 'The contact has asked for this time. Caps do not apply.'
  if (verdict === 'pass') return 'No cap is reached.'
  const free_at = capsFreeAt(candidate, campaign.caps)
  const { per_day, per_week, gap_hours_min } = campaign.caps
  const reached = [
    free_at.per_day > now && `There were ${per_day} of ${per_day} attempts today.`,
    free_at.per_week > now && `There were ${per_week} of ${per_week} attempts in seven days.`,
    free_at.gap_hours_min > now && `The last attempt was less than ${gap_hours_min} hours ago.`,
  ]
  return reached.filter(Boolean).join(' ')
}

/** Says whether the hours are open. Names the zone in which they are closed, if they are closed in one. */
function open(zones: string[], now: number, schedule: Schedule, verdict: Verdict, what: string): string {
  const [first] = zones
  if (first === undefined) return 'The time zone of the contact is not known, and the campaign has none.'
  const zone = zones.find((one) => !isOpen(schedule, [one], now)) ?? first
  const others = zones.length > 1 ? ` The number may be in ${zones.length} time zones.` : ''
  const never =
    verdict.verdict === 'skip' ? ` No time in the next ${search_days_max} days is within them in all time zones.` : ''
  const day = day_names[weekdayOf(localDay(zone, now))]
  const place = verdict.verdict === 'pass' ? 'within' : 'outside'
  return `It is ${day} ${iso(localTime(zone, now)).slice(11, 16)} in ${zone}, ${place} ${what}.${others}${never}`
}

function breaker(_: Candidate, { campaign, in_flight, is_broken }: Context): string {
  if (is_broken) {
    const { count, of } = breaker_errors
    return `At least ${count} of the last ${of} attempts failed, or ${breaker_opt_outs.count} of the last ${breaker_opt_outs.of} contacts opted out.`
  }
  if (!campaign.is_probing) return 'Few attempts failed.'
  const state = in_flight > 0 ? 'One is going on' : 'None is going on'
  return `Too many attempts failed before. One is made at a time until one succeeds. ${state}.`
}

function pacing(_: Candidate, { campaign, in_flight, room, starts_left }: Context): string {
  const { in_flight_max, starts_per_second } = campaign.pacing
  if (in_flight >= in_flight_max) return `${in_flight} of ${in_flight_max} attempts are going on.`
  if (room <= 0) return 'The workspace has no room for another call.'
  if (starts_left <= 0) return `No other attempt may begin in this second, at ${starts_per_second} per second.`
  return `${in_flight} of ${in_flight_max} attempts are going on, and another may begin in this second.`
}
