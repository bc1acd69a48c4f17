import { Copy } from './CopyButton.tsx'
import styles from './copy-field.module.css'

/** A line of code that someone takes elsewhere. */
export function Secret({ label, value, copy }: { label: string; value: string; copy?: string }) {
  return (
    <figure className={styles.secret}>
      <figcaption className={styles.label}>{label}</figcaption>
      <code className={styles.value}>{value}</code>
      <Copy value={value} {...(copy && { label: copy })} />
    </figure>
  )
}
