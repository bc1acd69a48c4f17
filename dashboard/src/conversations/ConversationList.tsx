import { Link } from '@tanstack/react-router'
import type { Conversation } from '../../../server/conversations/schema.ts'
import { CallRow } from '../calls/CallRow.tsx'
import { useWorkspaceId } from '../kit/api.ts'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { ContactName } from './ContactName.tsx'
import { isUnverified, toNamed } from './conversation.ts'
import styles from './conversations.module.css'
import { Kind } from './Kind.tsx'
import { StatusBadge } from './StatusBadge.tsx'
import type { Talk } from './useTalks.ts'

interface ConversationListProps {
  label: string
  to: '/w/$workspace/conversations/$id' | '/w/$workspace/inbox/$id'
  talks: Talk[]
}

export function ConversationList({ label, to, talks }: ConversationListProps) {
  const workspace = useWorkspaceId()
  const is_inbox = to === '/w/$workspace/inbox/$id'
  return (
    <ul className={styles.list} aria-label={label}>
      {talks.map((talk) => (
        <li key={talk.id}>
          {talk.type === 'call' ? (
            <CallRow call={talk.call} />
          ) : (
            <Link
              to={to}
              params={{ workspace, id: talk.id }}
              search={true}
              className={styles.row}
              activeProps={{ 'aria-current': 'page' }}
            >
              <Row conversation={talk.conversation} time={talk.time} is_inbox={is_inbox} />
            </Link>
          )}
        </li>
      ))}
    </ul>
  )
}

const Row = ({ conversation, time, is_inbox }: { conversation: Conversation; time: string; is_inbox: boolean }) => (
  <>
    <span className={styles.rowLine}>
      <strong>
        <ContactName of={toNamed(conversation)} />
      </strong>
      <span className={styles.when}>
        <RelativeTime time={time} />
      </span>
    </span>
    <span className={styles.rowLine}>
      <span className={styles.rowText}>
        <Kind kind={conversation.kind} /> · {(is_inbox && conversation.hand_over_reason) || describe(conversation)}
      </span>
      {!is_inbox && <StatusBadge status={conversation.status} />}
    </span>
  </>
)

const describe = (conversation: Conversation): string =>
  [
    ...(isUnverified(conversation) ? ['Unverified number'] : []),
    conversation.agent_name,
    ...(conversation.agent_version.id === null ? ['Draft'] : []),
  ].join(' · ')
