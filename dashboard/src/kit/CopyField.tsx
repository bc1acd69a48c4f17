import { CopyButton } from './CopyButton.tsx'
import styles from './copy-field.module.css'

interface CopyFieldProps {
  label: string
  value: string
  copy_label?: string
  /** Is called for the button, and when the text is copied by hand. */
  onCopied?: () => void
}

/** Shows a value to copy, such as a key, a URL or a command. */
export function CopyField({ label, value, copy_label, onCopied }: CopyFieldProps) {
  return (
    <figure className={styles.copyField} onCopy={onCopied}>
      <figcaption className={styles.label}>{label}</figcaption>
      <code className={styles.value}>{value}</code>
      <CopyButton value={value} {...(copy_label && { label: copy_label })} {...(onCopied && { onCopied })} />
    </figure>
  )
}
