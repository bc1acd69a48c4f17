import type { AttemptOutcome } from '../settings.ts'
import type { EndedAttempt } from './candidate.ts'

export const breaker_errors = { count: 10, of: 20, within_ms: 10 * 60_000 }
export const breaker_opt_outs = { count: 5, of: 100, within_ms: 60 * 60_000 }
/** The circuit breaker looks at this many attempts that ended, within the time below. */
export const recent_max = breaker_opt_outs.of
export const recent_ms = breaker_opt_outs.within_ms
/** A campaign that was paused runs again after this long. */
export const resume_after_ms = 5 * 60_000
const error_outcomes: readonly AttemptOutcome[] = ['error', 'unreachable', 'unknown', 'undelivered']

const isError = ({ outcome, is_interrupted = false }: Pick<EndedAttempt, 'outcome' | 'is_interrupted'>): boolean =>
  error_outcomes.includes(outcome) && !is_interrupted
const isOptOut = (attempt: EndedAttempt): boolean => attempt.is_opt_out

/** Whether an attempt that ended after `since` was no error. A campaign that was paused then goes on as before. */
export const hasRecovered = (recent: readonly EndedAttempt[], since = Number.NEGATIVE_INFINITY): boolean =>
  recent.some((attempt) => attempt.ended_at > since && !isError(attempt) && !attempt.is_interrupted)

/** Whether too many attempts that ended after `since` failed, or made people opt out. `recent` is in any order. */
export function isBroken(recent: readonly EndedAttempt[], now: number, since = Number.NEGATIVE_INFINITY): boolean {
  const counted = recent.filter(({ ended_at }) => ended_at > since)
  const endedWithin = (ms: number) => counted.filter(({ ended_at }) => ended_at > now - ms)
  return (
    hasTooMany(endedWithin(breaker_errors.within_ms), isError, breaker_errors) ||
    hasTooMany(endedWithin(breaker_opt_outs.within_ms), isOptOut, breaker_opt_outs)
  )
}

/** Whether too many of the last attempts are bad. */
function hasTooMany(
  attempts: readonly EndedAttempt[],
  isBad: (attempt: EndedAttempt) => boolean,
  { count, of }: Omit<typeof breaker_errors, 'within_ms'>,
): boolean {
  const isTooMany = (some: readonly EndedAttempt[]) => some.filter(isBad).length >= count
  if (!isTooMany(attempts)) return false
  return isTooMany(attempts.toSorted((one, other) => other.ended_at - one.ended_at).slice(0, of))
}
