import type { Conversation } from '../../../server/conversations/schema.ts'
import { status_names } from './conversation.ts'
import styles from './conversations.module.css'

export const StatusBadge = ({ status }: Pick<Conversation, 'status'>) => (
  <span className={styles.status} data-status={status}>
    {status_names[status]}
  </span>
)
