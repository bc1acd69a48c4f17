import { Link } from '@tanstack/react-router'
import type { Call } from '../../../server/calls/schema.ts'
import { ContactName } from '../conversations/ContactName.tsx'
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
  return (
    <Link
      to="/w/$workspace/calls/$call_id"
      params={{ workspace, call_id: call.id }}
      search={true}
      className={styles.row}
      activeProps={{ 'aria-current': 'page' }}
    >
      <span className={styles.rowLine}>
        <strong>
          <ContactName of={toNamed(call)} />
        </strong>
        <span className={styles.when}>
          <RelativeTime time={timeOf(call)} />
        </span>
      </span>
      <span className={styles.rowLine}>
        <Direction call={call} is_short />
        <span className={styles.rowText}>{describe(call)}</span>
        {call.is_test && <span className={styles.when}>Test</span>}
        <CallStatus call={call} />
      </span>
    </Link>
  )
}

function describe({ status, duration_ms, agent_name }: Call): string {
  if (status === 'in_progress') return 'Speaking…'
  return duration_ms === null ? agent_name : `${formatDuration(duration_ms)} · ${agent_name}`
}
