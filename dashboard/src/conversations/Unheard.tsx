import type { Turn } from '../../../server/conversations/schema.ts'
import styles from './conversations.module.css'

/** Shows where a spoken turn was cut off, and what the contact has not heard of it. */
export function Unheard({
  turn: { text, heard, is_interrupted },
}: {
  turn: Pick<Turn, 'text' | 'heard' | 'is_interrupted'>
}) {
  if (!is_interrupted || heard === null) return null
  const rest = text.startsWith(heard) ? text.slice(heard.length).trim() : ''
  return (
    <>
      —{' '}
      {rest && (
        <del className={styles.unheard} title="Not heard by the contact">
          {rest}
        </del>
      )}
    </>
  )
}
