import { Menu } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useWorkspaceId } from '../kit/api.ts'
import { ExportIcon, ImportIcon } from '../kit/icons.tsx'
import type { Target } from '../kit/lazy-menu.tsx'

/** The menu that a phone has instead of a row of buttons. */
export function ContactsMenu({ target, onExport }: { target: Target; onExport: () => void }) {
  const workspace = useWorkspaceId()
  return (
    <Menu position="bottom-end">
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<ImportIcon size={15} />}
          renderRoot={(props) => <Link to="/w/$workspace/imports/new" params={{ workspace }} {...props} />}
        >
          Import
        </Menu.Item>
        <Menu.Item leftSection={<ExportIcon size={15} />} onClick={onExport}>
          Export
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
