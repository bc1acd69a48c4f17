import type { Campaign, Enrollment } from '../schema.ts'
import type { AttemptOutcome } from '../settings.ts'

/** Why a person must not be reached, whatever the time. */
export type Refusal = 'opted_out' | 'suppressed' | 'country_not_allowed' | 'no_consent'

/** The facts about the person that an enrollment wants to reach. */
export interface Person {
  /**
   * The time zone of the contact, or those that its number may be in, or that of the campaign. It is empty if none is
   * known.
   */
  zones: string[]
  refusal: Refusal | undefined
  /**
   * When a call or a conversation by SMS ends that is open, with any agent. It is Infinity when its end is not known.
   */
  open_until: number | undefined
  /** When campaigns have tried to reach this person in the last eight days, in order. */
  attempted_at: number[]
}

/** An enrollment with what the rules need. Times are milliseconds. */
export interface Candidate extends Pick<Enrollment, 'id' | 'status' | 'attempts' | 'last_outcome'>, Person {
  /** The number of attempts with each outcome. */
  outcomes: Partial<Record<AttemptOutcome, number>>
  next_attempt_at: number | undefined
  /** The time at which the contact has asked to be called. */
  callback_at: number | undefined
  /** The order among enrollments that are due at the same time. */
  rank: number
}

/** The facts of a campaign that the dialer needs. Times are milliseconds. */
export interface DialedCampaign
  extends Pick<
    Campaign,
    'id' | 'kind' | 'status' | 'windows' | 'holidays' | 'pacing' | 'retry' | 'attempts_max' | 'caps'
  > {
  starts_at: number | undefined
  ends_at: number | undefined
  /** When the campaign last began to run. */
  running_since: number | undefined
  /** Attempts that ended before this don't count for the circuit breaker. */
  breaker_since: number | undefined
  /** Whether the campaign makes one attempt at a time, after the circuit breaker has opened, until one succeeds. */
  is_probing: boolean
  /** The quiet hours of the workspace. */
  quiet_hours: { start: string; end: string }
}

/** The number of attempts that go on, and the room for more. */
export interface Load {
  /** The number of attempts of this campaign that go on. */
  in_flight: number
  /** The number of further calls for which the workspace has room. It is Infinity for messages. */
  room: number
}

/** An attempt that has ended. */
export interface EndedAttempt {
  ended_at: number
  outcome: AttemptOutcome
  is_opt_out: boolean
  /** Whether the service was stopped or killed during the attempt, which says nothing about the carrier. */
  is_interrupted?: boolean
}
