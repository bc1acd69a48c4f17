import { Drawer } from '@mantine/core'
import type { ReactNode } from 'react'
import styles from './conversations.module.css'

interface DetailsProps {
  /** On a narrow screen. */
  is_open: boolean
  onClose: () => void
  children: ReactNode
}

/** The facts beside a conversation or call, and on a narrow screen in a drawer. */
export const Details = ({ is_open, onClose, children }: DetailsProps) => (
  <>
    <aside className={styles.right} aria-label="Details">
      {children}
    </aside>
    <Drawer
      opened={is_open}
      onClose={onClose}
      position="right"
      size={360}
      title="Details"
      lockScroll={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {children}
    </Drawer>
  </>
)
