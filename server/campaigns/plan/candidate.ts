import type { Campaign, Enrollment } from '../schema.ts'
import type { AttemptOutcome } from '../settings.ts'

/** Why a person must not be reached, whatever the time. */
export type Refusal = 'opted_out' | 'suppressed' | 'country_not_allowed' | 'no_consent'

/** What is known of the person that an enrollment wants to reach. */
export interface Person {
  /** The zone of the contact, or those that its number may be in, or that of the campaign. It is empty if none is known. */
  zones: string[]
  refusal: Refusal | undefined
  /** A call or a conversation by SMS is open until then, with any agent. Infinity when its end is not known. */
  open_until: number | undefined
  /** When campaigns have tried to reach this person in the last eight days, in order. */
  attempted_at: number[]
}

/** An enrollment with what the rules need. Times are milliseconds. */
export interface Candidate extends Pick<Enrollment, 'id' | 'status' | 'attempts' | 'last_outcome'>, Person {
  /** How many attempts had each outcome. */
  outcomes: Partial<Record<AttemptOutcome, number>>
  next_attempt_at: number | undefined
  /** The contact has asked to be called then. */
  callback_at: number | undefined
  /** The order among those that are due at the same time. */
  rank: number
}

/** What the dialer needs of a campaign. Times are milliseconds. */
export interface DialedCampaign
  extends Pick<
    Campaign,
    'id' | 'kind' | 'status' | 'windows' | 'holidays' | 'pacing' | 'retry' | 'attempts_max' | 'caps'
  > {
  starts_at: number | undefined
  ends_at: number | undefined
  /** When it last began to run. */
  running_since: number | undefined
  /** Attempts that ended before don't count for the circuit breaker. */
  breaker_since: number | undefined
  /** After the circuit breaker has opened: one attempt at a time, until one succeeds. */
  is_probing: boolean
  /** The workspace has these. */
  quiet_hours: { start: string; end: string }
}

/** Attempts that go on. */
export interface Load {
  /** This many attempts of this campaign go on. */
  in_flight: number
  /** How many more calls the workspace has room for. Infinity for messages. */
  room: number
}

/** An attempt that has ended. */
export interface EndedAttempt {
  ended_at: number
  outcome: AttemptOutcome
  is_opt_out: boolean
  /** The service was stopped or killed during it, which says nothing about the carrier. */
  is_interrupted?: boolean
}
