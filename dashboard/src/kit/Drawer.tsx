import { Drawer as MantineDrawer } from '@mantine/core'
import type { ReactNode } from 'react'
import styles from './drawer.module.css'
import { useCloseGuard } from './unsaved.tsx'

interface DrawerProps {
  is_open: boolean
  /** The label for screen readers, while the title is not known. */
  label: string
  title: ReactNode
  /** A link to the whole page of what is shown. */
  link?: ReactNode
  onClose: () => void
  children: ReactNode
}

/** Shows details of something in a list. Asks before it discards what `useUnsaved` guards inside it. */
export function Drawer({ is_open, label, title, link, onClose, children }: DrawerProps) {
  const { close, guarded, question } = useCloseGuard(onClose)
  return (
    <>
      <MantineDrawer.Root
        opened={is_open}
        onClose={close}
        position="right"
        size={480}
        // Locking the scroll writes a style element, which the Content-Security-Policy blocks.
        lockScroll={false}
        padding="lg"
      >
        <MantineDrawer.Overlay backgroundOpacity={0.2} />
        <MantineDrawer.Content aria-label={label}>
          {/* The role keeps it from being a banner, beside that of a dialog above the drawer. */}
          <MantineDrawer.Header className={styles.head} role="presentation">
            <MantineDrawer.Title>{title}</MantineDrawer.Title>
            {link && <div className={styles.link}>{guarded(link)}</div>}
            <MantineDrawer.CloseButton aria-label="Close" />
          </MantineDrawer.Header>
          <MantineDrawer.Body>{guarded(children)}</MantineDrawer.Body>
        </MantineDrawer.Content>
      </MantineDrawer.Root>
      {question}
    </>
  )
}
