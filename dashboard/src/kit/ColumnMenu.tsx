import { Menu } from '@mantine/core'
import type { Target } from './lazy-menu.tsx'

interface ColumnMenuProps {
  target: Target
  columns: { id: string; name: string; is_shown: boolean }[]
  onChange: (id: string, is_shown: boolean) => void
}

export const ColumnMenu = ({ target, columns, onChange }: ColumnMenuProps) => (
  <Menu position="bottom-end" closeOnItemClick={false}>
    <Menu.Target>{target}</Menu.Target>
    <Menu.Dropdown>
      <Menu.Label>Columns</Menu.Label>
      {columns.map(({ id, name, is_shown }) => (
        <Menu.CheckboxItem key={id} checked={is_shown} onChange={(is_checked) => onChange(id, is_checked)}>
          {name}
        </Menu.CheckboxItem>
      ))}
    </Menu.Dropdown>
  </Menu>
)
