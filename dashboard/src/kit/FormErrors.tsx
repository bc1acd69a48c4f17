import type { ReactNode } from 'react'
import { labelOf } from './labels.ts'
import styles from './page.module.css'

export interface FormErrorsProps {
  /** Errors by the names of the fields, which may be paths. */
  errors: Record<string, ReactNode>
  /** The same labels as for `useConflicts`. */
  labels?: Record<string, string>
  /** The fields that the form doesn't show. Their errors are written out here. */
  hidden?: string[]
}

/** Names the fields with errors beside the button that saves, because they may be out of sight. */
export function FormErrors({ errors, labels = {}, hidden = [] }: FormErrorsProps) {
  const wrong = Object.entries(errors).flatMap(([path, error]) =>
    error ? { label: labelOf(path.split('.'), labels), error: hidden.includes(path) && error } : [],
  )
  if (wrong.length === 0) return null
  const names = new Set(wrong.flatMap(({ label, error }) => (error ? [] : label)))
  return (
    <p className={styles.formErrors} role="alert">
      {names.size > 0 && `Check ${[...names].join(', ')}. `}
      {wrong.map(({ label, error }) => error && <span key={label}>{`${label}: ${error} `}</span>)}
    </p>
  )
}
