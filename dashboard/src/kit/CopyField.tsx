import { CopyButton } from './CopyButton.tsx'
import styles from './copy-field.module.css'

/** A value to copy: a key, a URL, a command. */
export function CopyField({ label, value, copy_label }: { label: string; value: string; copy_label?: string }) {
  return (
    <figure className={styles.copyField}>
      <figcaption className={styles.label}>{label}</figcaption>
      <code className={styles.value}>{value}</code>
      <CopyButton value={value} {...(copy_label && { label: copy_label })} />
    </figure>
  )
}
