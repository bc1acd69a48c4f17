import { Menu, UnstyledButton } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { TestBadge } from '../clocks/TestBadge.tsx'
import { CheckIcon, ChevronIcon, PlusIcon } from '../kit/icons.tsx'
import { lazyPart } from '../kit/lazy-part.tsx'
import { useMembership, useSession } from '../kit/session.ts'
import styles from './shell.module.css'

const NewWorkspaceDialog = lazyPart(async () => (await import('./NewWorkspace.tsx')).NewWorkspaceDialog)

export function WorkspaceSwitch() {
  const { workspaces } = useSession()
  const current = useMembership()
  const navigate = useNavigate()
  const [is_creating, setCreating] = useState(false)
  const name = current?.name ?? ''
  return (
    <>
      <Menu position="bottom-start" width={232}>
        <Menu.Target>
          <UnstyledButton className={styles.switch}>
            <span className={styles.mark} aria-hidden="true">
              {Array.from(name)[0]?.toUpperCase()}
            </span>
            <span className={styles.visuallyHidden}>Workspace </span>
            <span className={styles.switchName}>{name}</span>
            <ChevronIcon size={14} />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>Workspaces</Menu.Label>
          {workspaces.map((workspace) => (
            <Menu.Item
              key={workspace.id}
              rightSection={workspace.id === current?.id && <CheckIcon size={16} />}
              onClick={() => void navigate({ to: '/w/$workspace', params: { workspace: workspace.id } })}
            >
              {workspace.name} {workspace.kind === 'test' && <TestBadge />}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item leftSection={<PlusIcon size={16} />} onClick={() => setCreating(true)}>
            New workspace
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {is_creating && <NewWorkspaceDialog is_open onClose={() => setCreating(false)} />}
    </>
  )
}
