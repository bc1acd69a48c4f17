import styles from './code-block.module.css'

/** Text as a program says it, in a frame that the keyboard can scroll. */
export function Code({ label, text }: { label: string; text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, which the keyboard must reach
    <section className={styles.code} aria-label={label} tabIndex={0}>
      <pre>{text}</pre>
    </section>
  )
}

export const Json = ({ label, value }: { label: string; value: unknown }) => (
  <Code label={label} text={JSON.stringify(value, null, 2)} />
)

/** Laid out if it is JSON, else as it is. */
export function laidOut(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
