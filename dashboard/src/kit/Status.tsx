import type { ReactNode } from 'react'
import styles from './status.module.css'

/**
 * success: delivered, active, answered. warning: retrying, waiting, paused. danger: failed. neutral: disabled, done. live: under way
 * at this moment.
 */
export type Tone = 'success' | 'warning' | 'danger' | 'neutral' | 'live'

/** Shows a status as a dot and a word. This is the only way in which one is shown. */
export const Status = ({ tone, children }: { tone: Tone; children: ReactNode }) => (
  <span className={styles.status} data-tone={tone}>
    {children}
  </span>
)
