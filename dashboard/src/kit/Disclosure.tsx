import { type ReactNode, useState } from 'react'
import styles from './disclosure.module.css'

interface DisclosureProps {
  summary: ReactNode
  /** In line with the fields of a form, rather than set in like the rows of a list. */
  is_field?: boolean
  children: ReactNode
}

/** Renders its content only while open, because lists of these are long. */
export function Disclosure({ summary, is_field = false, children }: DisclosureProps) {
  const [is_open, setOpen] = useState(false)
  return (
    <details
      className={styles.disclosure}
      data-field={is_field || undefined}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>{summary}</summary>
      {is_open && <div className={styles.content}>{children}</div>}
    </details>
  )
}
