import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Question } from '../../../server/documents/schema.ts'
import { useApi, useWorkspaceId } from '../kit/api.ts'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import styles from './documents.module.css'

const shown_max = 20

/** Shows what agents have looked up and not found. */
export function Unanswered() {
  const api = useApi()
  const workspace = useWorkspaceId()
  const { data, error, refetch } = useQuery({
    queryKey: [api.workspace, 'documents', 'unanswered'],
    queryFn: ({ signal }) => api.list<Question>('/documents/unanswered', { limit: shown_max }, signal),
  })
  if (error) return <LoadError error={error} retry={refetch} />
  if (!data) return <LoadingSkeleton lines={3} />
  if (data.data.length === 0) return <p className={styles.hint}>None in the last 30 days.</p>
  return (
    <ul className={styles.questions}>
      {data.data.map(({ id, question, conversation_id, created_at }) => (
        <li key={id}>
          {conversation_id ? (
            <Link to="/w/$workspace/conversations/$id" params={{ workspace, id: conversation_id }}>
              {question}
            </Link>
          ) : (
            question
          )}{' '}
          <span className={styles.hint}>
            <RelativeTime time={created_at} />
          </span>
        </li>
      ))}
    </ul>
  )
}
