import { Skeleton } from '@mantine/core'
import { useInViewport } from '@mantine/hooks'
import type { Conversation, Turn } from '../../../server/conversations/schema.ts'
import styles from './conversations.module.css'
import { useLastTurn } from './useLastTurn.ts'

/** Shows what was said last, in the second line of a row. The turn is read when the row is seen. */
export function LastMessage({ conversation }: { conversation: Conversation }) {
  const { ref, inViewport } = useInViewport<HTMLSpanElement>()
  const { turn, is_loading } = useLastTurn(conversation, { is_shown: inViewport, staleTime: Infinity })
  return (
    <span ref={ref} className={styles.rowText}>
      {is_loading && !isSpeaking(conversation) ? (
        <Skeleton height={10} width="70%" radius="sm" />
      ) : conversation.redacted_at ? (
        'What was said has been erased.'
      ) : (
        describe(conversation, turn)
      )}
    </span>
  )
}

function describe(conversation: Conversation, turn: Turn | undefined): string {
  if (isSpeaking(conversation)) return 'Speaking…'
  if (!turn) return conversation.hand_over_reason ?? conversation.agent_name
  const text = turn.text || turn.tools.map(({ name }) => name).join(', ')
  return turn.role === 'contact' ? text : `${speakerOf(conversation, turn)}: ${text}`
}

/** Whether a call is going on: its conversation is closed when it ends. */
const isSpeaking = ({ kind, status }: Conversation): boolean => kind === 'voice' && status !== 'closed'

export function speakerOf({ agent_name }: Conversation, { role, author }: Turn): string {
  const names: Record<Turn['role'], string> = {
    contact: 'Contact',
    agent: agent_name,
    human: author?.name ?? 'Your team',
    system: 'System',
  }
  return names[role]
}
