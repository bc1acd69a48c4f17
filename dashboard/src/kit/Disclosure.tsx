import { type ReactNode, useEffect, useState } from 'react'
import styles from './disclosure.module.css'

interface DisclosureProps {
  summary: ReactNode
  /** Whether it is in line with the fields of a form, and not set in like the rows of a list. */
  is_field?: boolean
  /** Whether something inside is wrong: it opens then. */
  has_errors?: boolean
  children: ReactNode
}

/** Shows its content when it is opened. Closed ones render nothing, because lists of them are long. */
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
