import type { Conversation } from '../../../server/conversations/schema.ts'
import styles from './conversations.module.css'
import { speakerOf } from './LastMessage.tsx'
import { MessageStatus } from './MessageStatus.tsx'
import { useLastTurn } from './useLastTurn.ts'

/** The last turn of a conversation, on one line. */
export function LastWords({ conversation }: { conversation: Conversation }) {
  // The turn is read again each time: rows of the inbox keep it for ever, and the status of its message changes.
  const { turn } = useLastTurn(conversation, { staleTime: 0 })
  if (conversation.redacted_at) return 'What was said has been erased.'
  if (!turn) return null
  return (
    <span className={styles.lastWords}>
      <span className={styles.lastText}>
        {speakerOf(conversation, turn)}: {turn.text}
      </span>
      {turn.message && turn.role !== 'contact' && <MessageStatus message={turn.message} />}
    </span>
  )
}
