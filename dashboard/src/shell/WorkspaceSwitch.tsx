import { UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import { ChevronIcon } from '../kit/icons.tsx'
import { lazyMenu } from '../kit/lazy-menu.tsx'
import { lazyPart } from '../kit/lazy-part.tsx'
import { useMembership } from '../kit/session.ts'
import styles from './shell.module.css'

const WorkspaceMenu = lazyMenu(async () => (await import('./WorkspaceMenu.tsx')).WorkspaceMenu)
const NewWorkspaceDialog = lazyPart(async () => (await import('./NewWorkspace.tsx')).NewWorkspaceDialog)

export function WorkspaceSwitch() {
  const { name = '' } = useMembership() ?? {}
  const [is_creating, setCreating] = useState(false)
  return (
    <>
      <WorkspaceMenu
        onCreate={() => setCreating(true)}
        target={
          <UnstyledButton className={styles.switch}>
            <span className={styles.mark} aria-hidden="true">
              {Array.from(name)[0]?.toUpperCase()}
            </span>
            <span className={styles.visuallyHidden}>Workspace </span>
            <span className={styles.switchName}>{name}</span>
            <ChevronIcon size={14} />
          </UnstyledButton>
        }
      />
      {is_creating && <NewWorkspaceDialog is_open onClose={() => setCreating(false)} />}
    </>
  )
}
