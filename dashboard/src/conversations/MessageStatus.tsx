import type { Message } from '../../../server/conversations/schema.ts'
import { formatCount } from '../kit/format.ts'
import styles from './conversations.module.css'

const names: Record<Message['status'], string> = {
  queued: 'Queued',
  sent: 'Sent',
  delivered: 'Delivered',
  failed: 'Failed',
  unknown: 'Unknown',
}

/** Matches the beginning of the error of a message that must not be sent, such as "opted_out: ". */
const rule = /^[a-z_]+: /

/** Shows how far a message has got, with the number of its segments on hover. */
export const MessageStatus = ({ message: { status, error, segments } }: { message: Message }) => (
  <span className={styles.messageStatus} data-status={status} title={formatCount(segments, 'segment')}>
    {names[status]}
    {error && `: ${error.replace(rule, '')}`}
  </span>
)
