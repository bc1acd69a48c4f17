import type { Sentence } from '../support/sounds.ts'
import type { CallEnd, PhoneCall, PhonePerson } from './phone-call.ts'

/** How somebody takes a call. */
export interface Behaviour {
  /** Answers by default. `no_answer`: it rings until the test answers, or until the service's time to ring is over. */
  takes?: 'answers' | 'busy' | 'no_answer' | 'rejects' | 'fails'
  /** How long it rings before that, 50 by default; for `no_answer` as long as the service lets it ring. */
  after_ms?: number
  /** Twilio has the call in its queue until this resolves. */
  queued?: Promise<void>
  /** What the last callback says of a call that fails: 404 by default. */
  failure?: { sip_response_code?: number; error_code?: number }
  /** A machine answers: it says this, and then perhaps there is a beep. */
  greeting?: Int16Array | string
  has_beep?: boolean
  /** What machine detection says, and when after the answer; null: nothing. By default it is right. */
  verdict?: { answered_by: string; after_ms: number } | null
  reports?: Reports
  noise_db?: number
  voice?: Sentence['voice']
  /** After the answer. */
  hangs_up_after_ms?: number
  /** What the person does after the answer, and after a greeting. */
  acts?: (person: PhonePerson, call: PhoneCall) => Promise<void>
}

/** How status callbacks are sent. */
export interface Reports {
  /** Of each: 0 if they are lost, 2 if they are doubled. */
  copies?: number
  /** Reversed: all of them after the call, the last one first. */
  order?: 'in_order' | 'reversed'
}

/** Somebody that the service transfers a call to. */
export interface Transferred {
  takes?: 'answers' | 'busy' | 'no_answer' | 'fails'
  after_ms?: number
  /** How long they talk then. */
  talk_ms?: number
}

const ring_by_default_ms = 50
const verdict_after_ms = 1_500

/** How long it rings. */
export const ringOf = ({ takes, after_ms }: Behaviour | Transferred, ring_max_ms: number): number =>
  Math.min(after_ms ?? (takes === 'no_answer' ? ring_max_ms : ring_by_default_ms), ring_max_ms)

/** What Twilio's machine detection finds in this mode, and how long after the answer, or after a greeting, it says so. */
export function verdictOf(
  { greeting, has_beep, verdict }: Behaviour,
  mode: string | null | undefined,
): { answered_by: string; after_ms: number; is_after_greeting: boolean } | undefined {
  if (!mode || verdict === null) return undefined
  if (verdict) return { ...verdict, is_after_greeting: false }
  if (greeting === undefined) return { answered_by: 'human', after_ms: verdict_after_ms, is_after_greeting: false }
  if (mode === 'Enable') return { answered_by: 'machine_start', after_ms: verdict_after_ms, is_after_greeting: false }
  return has_beep
    ? { answered_by: 'machine_end_beep', after_ms: 0, is_after_greeting: true }
    : { answered_by: 'machine_end_silence', after_ms: verdict_after_ms, is_after_greeting: true }
}

/** What the last callback says of the reason. */
export function reasonOf({ status, ended_by }: CallEnd, { takes, failure }: Behaviour): Record<string, string> {
  const codes = { completed: 200, busy: 486, 'no-answer': 487, failed: 404, canceled: 487 }
  const is_declined = takes === 'rejects' || (status === 'busy' && ended_by === 'person')
  const { sip_response_code = is_declined ? 603 : codes[status], error_code } = failure ?? {}
  return {
    SipResponseCode: String(sip_response_code),
    ...(error_code !== undefined && { ErrorCode: String(error_code), ErrorMessage: 'No' }),
  }
}
