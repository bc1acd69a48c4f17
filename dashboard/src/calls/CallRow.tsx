import { Link } from '@tanstack/react-router'
import type { Call } from '../../../server/calls/schema.ts'
import { useContactName } from '../conversations/ContactName.tsx'
import styles from '../conversations/conversations.module.css'
import { useWorkspaceId } from '../kit/api.ts'
import { formatDuration } from '../kit/format.ts'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { CallStatus } from './CallStatus.tsx'
import { timeOf, toNamed } from './call.ts'
import { Direction } from './Direction.tsx'

/** A call in the list of conversations. */
export function CallRow({ call }: { call: Call }) {
  const workspace = useWorkspaceId()
  const contact = useContactName(toNamed(call))
  return (
    <Link
      to="/w/$workspace/calls/$call_id"
      params={{ workspace, call_id: call.id }}
      search={true}
      className={styles.row}
      activeProps={{ 'aria-current': 'page' }}
    >
      <span className={styles.rowLine}>
        <strong>{contact}</strong>
        <span className={styles.when}>
          <RelativeTime time={timeOf(call)} />
        </span>
      </span>
      <span className={styles.rowLine}>
        <span className={styles.rowText}>
          <Direction call={call} />
          {call.status === 'in_progress' && ' · Speaking…'}
          {call.duration_ms !== null && ` · ${formatDuration(call.duration_ms)}`} · {call.agent_name}
        </span>
        <CallStatus call={call} />
      </span>
    </Link>
  )
}
