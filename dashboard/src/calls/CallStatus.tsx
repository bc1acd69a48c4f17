import type { Call } from '../../../server/calls/schema.ts'
import { Status, type Tone } from '../kit/Status.tsx'
import { describeStatus } from './call.ts'

type CallState = Pick<Call, 'status' | 'outcome'>

export const CallStatus = ({ call }: { call: CallState }) => <Status tone={toneOf(call)}>{describeStatus(call)}</Status>

/** These outcomes have a neutral color, because nothing is wrong with the calls. */
const not_reached = new Set<Call['outcome']>(['no_answer', 'busy', 'rejected'])

function toneOf({ status, outcome }: CallState): Tone {
  if (status === 'ringing' || status === 'in_progress') return 'live'
  if (status === 'scheduled' || status === 'queued') return 'warning'
  if (status === 'failed') return outcome && not_reached.has(outcome) ? 'neutral' : 'danger'
  return outcome === 'answered' ? 'success' : 'neutral'
}
