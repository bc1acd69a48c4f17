import { type ReactNode, useEffect, useState } from 'react'
import styles from './disclosure.module.css'

interface DisclosureProps {
  summary: ReactNode
  /** In line with the fields of a form, rather than set in like the rows of a list. */
  is_field?: boolean
  /** It opens when something inside turns out to be wrong. */
  has_errors?: boolean
  children: ReactNode
}

/** Renders its content only while open, because lists of these are long. */
export function Disclosure({ summary, is_field = false, has_errors = false, children }: DisclosureProps) {
  const [is_open, setOpen] = useState(has_errors)
  useEffect(() => {
    if (has_errors) setOpen(true)
  }, [has_errors])
  return (
    <details
      className={styles.disclosure}
      data-field={is_field || undefined}
      open={is_open}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>{summary}</summary>
      {is_open && <div className={styles.content}>{children}</div>}
    </details>
  )
}
