import { useQuery } from '@tanstack/react-query'
import type { Conversation, Turn } from '../../../server/conversations/schema.ts'
import { useApi } from '../kit/api.ts'
import styles from './conversations.module.css'
import { MessageStatus } from './MessageStatus.tsx'

/** The last turn of a conversation, on one line. */
export function LastWords({ conversation }: { conversation: Conversation }) {
  const api = useApi()
  const { id, turn_count, agent_name, redacted_at } = conversation
  const { data } = useQuery({
    queryKey: [api.workspace, 'conversations', 'last_turn', id, turn_count],
    queryFn: ({ signal }) => api.list<Turn>(`/conversations/${id}/turns`, { after: turn_count - 1, limit: 1 }, signal),
    enabled: turn_count > 0 && redacted_at === null,
  })
  const turn = data?.data[0]
  if (redacted_at) return 'What was said has been erased.'
  if (!turn) return null
  const names: Record<Turn['role'], string> = {
    contact: 'Contact',
    agent: agent_name,
    human: 'Your team',
    system: 'System',
  }
  return (
    <span className={styles.lastWords}>
      <span className={styles.lastText}>
        {names[turn.role]}: {turn.text}
      </span>
      {turn.message && turn.role !== 'contact' && <MessageStatus message={turn.message} />}
    </span>
  )
}
