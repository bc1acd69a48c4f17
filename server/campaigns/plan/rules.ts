import { ceilTo, second_ms } from '../../kit/clock.ts'
import type { Explanation, RuleName } from '../explain-schema.ts'
import { final_statuses, open_enrollment_statuses } from '../schema.ts'
import type { Candidate, DialedCampaign } from './candidate.ts'
import { capsFreeAt } from './caps.ts'
import type { Context, Fault, Verdict } from './context.ts'
import { callback_attempts_max, ruleFor } from './retry.ts'
import { sentences } from './sentences.ts'
import { closingAt, hoursOf, isOpen, nextOpening, type Schedule } from './windows.ts'

type Rule = (candidate: Candidate, context: Context) => Verdict

const open_conversation_wait_ms = 60_000
const pass: Verdict = { verdict: 'pass' }
const deferTo = (until: number | undefined): Verdict => ({ verdict: 'defer', until })
const nextSecond = ({ now }: Context): number => now + second_ms
/** Rounds up, because the dialer decides on whole seconds. */
const wholeSecond = (time: number): number => ceilTo(time, second_ms)

/** The rules, in the order in which they are asked. */
const rules: [RuleName, Rule][] = [
  ['campaign', campaign],
  ['consent', ({ refusal }) => (refusal ? { verdict: 'skip', reason: refusal } : pass)],
  // The rule doesn't defer to a known end: what was decided must not depend on how much of the future is known already.
  [
    'conversation',
    ({ open_until = 0 }, { now }) => (open_until > now ? deferTo(now + open_conversation_wait_ms) : pass),
  ],
  ['attempts', attempts],
  ['caps', caps],
  ['quiet_hours', (candidate, context) => open(candidate, context, context.hours.quiet_hours)],
  ['windows', (candidate, context) => (isCallback(candidate) ? pass : open(candidate, context, context.hours.windows))],
  ['breaker', breaker],
  ['pacing', pacing],
]

/** Whether a person has asked to be called at a time. Campaign windows and caps don't apply then. */
const isCallback = ({ callback_at }: Candidate): boolean => callback_at !== undefined

function campaign({ status }: Candidate, { campaign, now }: Context): Verdict {
  if (!open_enrollment_statuses.includes(status)) return { verdict: 'done', reason: status }
  if (final_statuses.includes(campaign.status)) return { verdict: 'done', reason: campaign.status }
  if (campaign.ends_at !== undefined && campaign.ends_at <= now) return { verdict: 'expire', reason: 'ended' }
  if (campaign.starts_at !== undefined && campaign.starts_at > now) return deferTo(campaign.starts_at)
  return campaign.status === 'running' ? pass : deferTo(undefined)
}

function attempts(candidate: Candidate, { campaign, now }: Context): Verdict {
  const { attempts, last_outcome, outcomes, next_attempt_at = 0, callback_at = 0 } = candidate
  if (attempts >= (isCallback(candidate) ? callback_attempts_max : campaign.attempts_max)) {
    return { verdict: 'fail', reason: last_outcome ?? 'unknown' }
  }
  if (last_outcome && !isCallback(candidate)) {
    const used = outcomes[last_outcome] ?? 0
    if (used >= ruleFor(campaign, last_outcome).attempts_max) return { verdict: 'fail', reason: last_outcome }
  }
  const not_before = Math.max(next_attempt_at, callback_at)
  return not_before > now ? deferTo(not_before) : pass
}

function caps(candidate: Candidate, { campaign, now }: Context): Verdict {
  if (candidate.attempted_at.length === 0 || isCallback(candidate)) return pass
  const free_at = Math.max(...Object.values(capsFreeAt(candidate, campaign.caps)))
  return free_at > now ? deferTo(free_at) : pass
}

function open({ zones }: Candidate, { now }: Context, schedule: Schedule): Verdict {
  return isOpen(schedule, zones, now) ? pass : untilOpen(schedule, zones, now)
}

function untilOpen(schedule: Schedule, zones: string[], from: number): Exclude<Verdict, { verdict: 'pass' }> {
  if (zones.length === 0) return { verdict: 'skip', reason: 'no_time_zone' }
  const until = nextOpening(schedule, zones, from)
  return until === undefined ? { verdict: 'skip', reason: 'never_open' } : { verdict: 'defer', until }
}

function breaker(_: Candidate, context: Context): Verdict {
  if (context.is_broken) return deferTo(undefined)
  return context.campaign.is_probing && context.in_flight > 0 ? deferTo(nextSecond(context)) : pass
}

function pacing(_: Candidate, context: Context): Verdict {
  const { starts_left, in_flight, room, campaign } = context
  const has_room = starts_left > 0 && room > 0 && in_flight < campaign.pacing.in_flight_max
  return has_room ? pass : deferTo(nextSecond(context))
}

/**
 * Finds the first rule that does not pass. If it defers, then to the first whole second when every rule passes, as far
 * as is known now, or to the end of the campaign if that is earlier.
 */
export function firstFault(candidate: Candidate, context: Context): Fault | undefined {
  let first: Fault | undefined
  let from = context.now
  for (const [rule, judge] of rules) {
    const verdict = judge(candidate, context)
    if (verdict.verdict === 'pass') continue
    first ??= { ...verdict, rule }
    if (first.verdict !== 'defer' || first.until === undefined) return first
    if (verdict.verdict === 'defer') from = Math.max(from, verdict.until ?? from)
  }
  return first && { ...whenAllPass(candidate, context, from), rule: first.rule }
}

function whenAllPass(candidate: Candidate, { hours, campaign }: Context, from: number) {
  const schedule = isCallback(candidate) ? hours.quiet_hours : hours.both
  const opening = untilOpen(schedule, candidate.zones, wholeSecond(from))
  if (opening.verdict !== 'defer' || opening.until === undefined || campaign.ends_at === undefined) return opening
  return { verdict: opening.verdict, until: Math.min(opening.until, wholeSecond(campaign.ends_at)) }
}

/** Returns when the hours are over in which this person may be reached. */
export function closingOf(campaign: DialedCampaign, candidate: Candidate, time: number): number {
  const { both, quiet_hours } = hoursOf(campaign)
  return closingAt(isCallback(candidate) ? quiet_hours : both, candidate.zones, time)
}

/** Lists every rule with its verdict and the reason, also after the first rule that does not pass. @internal */
export const explainRules = (candidate: Candidate, context: Context): Explanation['rules'] =>
  rules.map(([rule, judge]) => {
    const verdict = judge(candidate, context)
    return { rule, verdict: verdict.verdict, because: sentences[rule](candidate, context, verdict) }
  })

/** Tells what would happen to this candidate now. Times are milliseconds. */
export function explain(
  candidate: Candidate,
  context: Context,
): Pick<Explanation, 'verdict' | 'rules'> & { next_attempt_at: number | undefined } {
  const fault = firstFault(candidate, context)
  const next_attempt_at = fault === undefined ? context.now : fault.verdict === 'defer' ? fault.until : undefined
  return { verdict: fault?.verdict ?? 'attempt', rules: explainRules(candidate, context), next_attempt_at }
}
