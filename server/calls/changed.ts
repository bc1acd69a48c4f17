import { newHook } from '../kit/at.ts'
import type { Call } from './schema.ts'

/** A call that has just changed. */
export interface ChangedCall {
  call: Call
  is_answered_now: boolean
  is_ended_now: boolean
  /** The outcome with which it had ended, if something that was learned later has changed it. */
  refined_from: Call['outcome']
  /** The person wants no more calls. */
  is_opt_out: boolean
}

/** Runs in the transaction that changes calls. */
export const changed = newHook<ChangedCall[]>('calls.changed')
