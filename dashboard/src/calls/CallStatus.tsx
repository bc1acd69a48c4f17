import type { Call } from '../../../server/calls/schema.ts'
import { describeStatus } from './call.ts'
import styles from './calls.module.css'

/** A dot, and how the call stands or has ended. */
export const CallStatus = ({ call }: { call: Pick<Call, 'status' | 'outcome'> }) => (
  <span className={styles.status} data-status={call.status} data-outcome={call.outcome ?? undefined}>
    {describeStatus(call)}
  </span>
)
