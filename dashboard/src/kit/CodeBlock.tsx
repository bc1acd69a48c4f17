import styles from './code-block.module.css'

/** Shows code. The keyboard can scroll it, because it takes the focus. */
export function CodeBlock({ label, text }: { label: string; text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it
    <section className={styles.code} aria-label={label} tabIndex={0}>
      <pre>{text}</pre>
    </section>
  )
}

export const JsonBlock = ({ label, value }: { label: string; value: unknown }) => (
  <CodeBlock label={label} text={JSON.stringify(value, null, 2)} />
)
