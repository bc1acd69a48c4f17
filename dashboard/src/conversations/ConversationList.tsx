import { Link } from '@tanstack/react-router'
import type { Conversation } from '../../../server/conversations/schema.ts'
import { useWorkspaceId } from '../kit/api.ts'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { ContactName } from './ContactName.tsx'
import { isUnverified } from './conversation.ts'
import styles from './conversations.module.css'
import { Kind } from './Kind.tsx'
import { StatusBadge } from './StatusBadge.tsx'

interface ConversationListProps {
  label: string
  to: '/w/$workspace/conversations/$id' | '/w/$workspace/inbox/$id'
  conversations: Conversation[]
}

export function ConversationList({ label, to, conversations }: ConversationListProps) {
  const workspace = useWorkspaceId()
  const is_inbox = to === '/w/$workspace/inbox/$id'
  return (
    <ul className={styles.list} aria-label={label}>
      {conversations.map((conversation) => (
        <li key={conversation.id}>
          <Link
            to={to}
            params={{ workspace, id: conversation.id }}
            search={true}
            className={styles.row}
            activeProps={{ 'aria-current': 'page' }}
          >
            <span className={styles.rowLine}>
              <strong>
                <ContactName of={conversation} />
              </strong>
              <span className={styles.when}>
                <RelativeTime time={conversation.last_turn_at ?? conversation.created_at} />
              </span>
            </span>
            <span className={styles.rowLine}>
              <span className={styles.rowText}>
                <Kind kind={conversation.kind} /> ·{' '}
                {(is_inbox && conversation.hand_over_reason) || describe(conversation)}
              </span>
              {!is_inbox && <StatusBadge status={conversation.status} />}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}

const describe = (conversation: Conversation): string =>
  [
    ...(isUnverified(conversation) ? ['Unverified number'] : []),
    conversation.agent_name,
    ...(conversation.agent_version.id === null ? ['Draft'] : []),
  ].join(' · ')
