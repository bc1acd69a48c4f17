import type { ReactNode } from 'react'
import { Drawer } from '../kit/Drawer.tsx'
import styles from './conversations.module.css'

interface DetailsProps {
  /** Whether the drawer is open, on a narrow screen. */
  is_open: boolean
  onClose: () => void
  children: ReactNode
}

/** Shows the facts beside a conversation or call, and on a narrow screen in a drawer. */
export const Details = ({ is_open, onClose, children }: DetailsProps) => (
  <>
    <aside className={styles.right} aria-label="Details">
      {children}
    </aside>
    <Drawer is_open={is_open} label="Details" title="Details" onClose={onClose}>
      {children}
    </Drawer>
  </>
)
