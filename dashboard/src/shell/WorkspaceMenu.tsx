import { Menu } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { TestBadge } from '../clocks/TestBadge.tsx'
import { CheckIcon, PlusIcon } from '../kit/icons.tsx'
import type { Target } from '../kit/lazy-menu.tsx'
import { useMembership, useSession } from '../kit/session.ts'

export function WorkspaceMenu({ target, onCreate }: { target: Target; onCreate: () => void }) {
  const { workspaces } = useSession()
  const current = useMembership()
  const navigate = useNavigate()
  return (
    <Menu position="bottom-start" width={232}>
      <Menu.Target>{target}</Menu.Target>
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
        <Menu.Item leftSection={<PlusIcon size={16} />} onClick={onCreate}>
          New workspace
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
