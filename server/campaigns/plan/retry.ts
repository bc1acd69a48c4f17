import { day_ms, second_ms } from '../../kit/clock.ts'
import type { AttemptOutcome, RetryRule } from '../settings.ts'
import type { Candidate, DialedCampaign, EndedAttempt } from './candidate.ts'

type Retry = Pick<RetryRule, 'attempts_max' | 'waits_seconds'>

const hour_s = 3_600
const never: Retry = { attempts_max: 1, waits_seconds: [] }
const soon: Retry = { attempts_max: 3, waits_seconds: [600, hour_s] }
const next_day: Retry = { attempts_max: 2, waits_seconds: [24 * hour_s] }

const default_retry: Record<AttemptOutcome, Retry> = {
  no_answer: { attempts_max: 3, waits_seconds: [4 * hour_s, 24 * hour_s] },
  busy: { attempts_max: 3, waits_seconds: [900, 2 * hour_s] },
  error: soon,
  unreachable: soon,
  undelivered: soon,
  voicemail: next_day,
  screened: next_day,
  menu: next_day,
  unknown: next_day,
  rejected: never,
  invalid_number: never,
  blocked: never,
  canceled: never,
  answered: never,
  replied: never,
  delivered: never,
}

const completing: readonly AttemptOutcome[] = ['answered', 'replied', 'delivered']
/** Whether the person was reached. */
export const isReached = (outcome: AttemptOutcome): boolean => completing.includes(outcome)

/** The limit of all attempts for people who ask to be called again. */
export const callback_attempts_max = 20

export const ruleFor = (campaign: Pick<DialedCampaign, 'retry'>, outcome: AttemptOutcome): Retry =>
  campaign.retry.find((rule) => rule.outcome === outcome) ?? default_retry[outcome]

/** The state of an enrollment when an attempt has ended. */
export interface AfterAttempt {
  status: 'completed' | 'waiting' | 'failed' | 'skipped' | 'canceled'
  reason: string | null
  outcomes: Candidate['outcomes']
  last_outcome: AttemptOutcome
  next_attempt_at: number | undefined
  callback_at: number | undefined
}

/**
 * Returns what follows an attempt. `enrollment.attempts` counts the attempt that has ended, `enrollment.outcomes` does
 * not yet.
 */
export function afterAttempt(
  campaign: Pick<DialedCampaign, 'retry' | 'attempts_max'>,
  enrollment: Pick<Candidate, 'attempts' | 'outcomes' | 'callback_at'>,
  ended: EndedAttempt & { callback_at?: number | undefined },
): AfterAttempt {
  const { outcome } = ended
  const count = (enrollment.outcomes[outcome] ?? 0) + 1
  const next = nextOf(campaign, enrollment.attempts, count, ended)
  const outcomes = { ...enrollment.outcomes, [outcome]: count }
  return { reason: null, next_attempt_at: undefined, callback_at: undefined, ...next, outcomes, last_outcome: outcome }
}

function nextOf(
  campaign: Pick<DialedCampaign, 'retry' | 'attempts_max'>,
  attempts: number,
  count: number,
  { outcome, ended_at, is_opt_out, callback_at }: EndedAttempt & { callback_at?: number | undefined },
): Pick<AfterAttempt, 'status'> & Partial<AfterAttempt> {
  const is_reached = isReached(outcome)
  if (is_opt_out) return { status: is_reached ? 'completed' : 'skipped', reason: 'opted_out' }
  if (is_reached && callback_at !== undefined && attempts < callback_attempts_max) {
    return { status: 'waiting', next_attempt_at: callback_at, callback_at }
  }
  if (is_reached) return { status: 'completed' }
  if (outcome === 'canceled') return { status: 'canceled', reason: 'canceled' }
  const rule = ruleFor(campaign, outcome)
  if (attempts >= campaign.attempts_max || count >= rule.attempts_max) return { status: 'failed', reason: outcome }
  return { status: 'waiting', next_attempt_at: ended_at + waitAfter(rule, count) }
}

/** Returns the wait after an attempt. The last wait is repeated, and a rule without any waits for a day. */
function waitAfter({ waits_seconds }: Retry, count: number): number {
  const seconds = waits_seconds[count - 1] ?? waits_seconds.at(-1)
  return seconds === undefined ? day_ms : seconds * second_ms
}
