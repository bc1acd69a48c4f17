import { VisuallyHidden } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useRef } from 'react'
import type { Conversation } from '../../../server/conversations/schema.ts'
import { CallRow } from '../calls/CallRow.tsx'
import { useWorkspaceId } from '../kit/api.ts'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { useRowKeys } from '../kit/useRowKeys.ts'
import { ContactName } from './ContactName.tsx'
import { isUnverified, kind_names, toNamed } from './conversation.ts'
import styles from './conversations.module.css'
import { KindIcon } from './Kind.tsx'
import { LastMessage } from './LastMessage.tsx'
import { StatusBadge } from './StatusBadge.tsx'
import type { Talk } from './useTalks.ts'
import { Wait } from './Wait.tsx'

interface ConversationListProps {
  label: string
  to: '/w/$workspace/conversations/$id' | '/w/$workspace/inbox/$id'
  talks: Talk[]
}

export function ConversationList({ label, to, talks }: ConversationListProps) {
  const workspace = useWorkspaceId()
  const is_inbox = to === '/w/$workspace/inbox/$id'
  const list = useRef<HTMLUListElement>(null)
  useRowKeys(list, { rows: 'li', opens: true })
  return (
    <ul ref={list} className={styles.list} aria-label={label}>
      {talks.map((talk) => (
        <li key={talk.id}>
          {talk.type === 'call' ? (
            <CallRow call={talk.call} />
          ) : (
            <Link
              to={to}
              params={{ workspace, id: talk.id }}
              search={true}
              state={{ opens_to_answer: true }}
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
      <RowTime conversation={conversation} time={time} is_inbox={is_inbox} />
    </span>
    <span className={styles.rowLine}>
      <KindIcon kind={conversation.kind} size={14} />
      <VisuallyHidden>{kind_names[conversation.kind]}</VisuallyHidden>
      <LastMessage conversation={conversation} />
      {isUnverified(conversation) && <span className={styles.when}>Unverified number</span>}
      {conversation.is_test && <span className={styles.when}>Test</span>}
      {!is_inbox && <StatusBadge status={conversation.status} />}
    </span>
  </>
)

/** Shows since when someone waits, or when something was last said. */
function RowTime({ conversation, time, is_inbox }: { conversation: Conversation; time: string; is_inbox: boolean }) {
  if (conversation.waiting_since) return <Wait since={conversation.waiting_since} />
  return (
    <span className={styles.when}>
      {is_inbox && 'Answered '}
      <RelativeTime time={time} />
    </span>
  )
}
