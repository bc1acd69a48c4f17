import { Textarea } from '@mantine/core'
import { memo } from 'react'
import { isSame } from '../kit/merge.ts'
import styles from './agent-tests.module.css'

interface SaysFieldProps {
  label: string
  value: string
  placeholder?: string
  error: string | undefined
  onChange: (text: string) => void
}

/** A bubble of the chat. It isn't rendered again by what is typed elsewhere. */
export const SaysField = memo(
  ({ label, value, placeholder, error, onChange }: SaysFieldProps) => (
    <Textarea
      className={styles.bubble}
      label={label}
      placeholder={placeholder}
      autosize
      minRows={1}
      maxRows={10}
      value={value}
      error={error}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  ),
  isSame,
)
