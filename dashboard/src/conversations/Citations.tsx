import type { Turn } from '../../../server/conversations/schema.ts'
import styles from './conversations.module.css'

/** The passages that an answer is based on. */
export function Citations({ citations }: Pick<Turn, 'citations'>) {
  if (citations.length === 0) return null
  return (
    <ul className={styles.citations} aria-label="Sources">
      {citations.map(({ passage_id, title, url }) => (
        <li key={passage_id}>
          {url ? (
            <a href={url} target="_blank" rel="noreferrer">
              {title}
            </a>
          ) : (
            title
          )}
        </li>
      ))}
    </ul>
  )
}
