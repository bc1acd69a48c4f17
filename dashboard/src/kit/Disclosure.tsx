import { type ReactNode, useState } from 'react'
import styles from './disclosure.module.css'

/** Renders its content only while open, because lists of these are long. */
export function Disclosure({ summary, children }: { summary: ReactNode; children: ReactNode }) {
  const [is_open, setOpen] = useState(false)
  return (
    <details className={styles.disclosure} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {is_open && <div className={styles.content}>{children}</div>}
    </details>
  )
}
