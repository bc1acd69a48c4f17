import { type ReactNode, useState } from 'react'
import styles from './disclosure.module.css'

/** A line that opens. What is inside is made when it is looked at. */
export function Opening({ head, children }: { head: ReactNode; children: ReactNode }) {
  const [is_open, setOpen] = useState(false)
  return (
    <details className={styles.opening} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{head}</summary>
      {is_open && <div className={styles.opened}>{children}</div>}
    </details>
  )
}
