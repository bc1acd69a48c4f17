import type { ReactNode } from 'react'
import styles from './fact-list.module.css'

/** Lists names, each beside its value. */
export const FactList = ({ children }: { children: ReactNode }) => <dl className={styles.facts}>{children}</dl>

/** Shows a name and its value, or nothing without a value. */
export const Fact = ({ name, children }: { name: string; children: ReactNode }) =>
  children ? (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  ) : null
