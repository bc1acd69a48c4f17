import { Menu } from '@mantine/core'
import { useNavigate, useParams } from '@tanstack/react-router'
import { DocsIcon } from '../kit/icons.tsx'
import type { Target } from '../kit/lazy-menu.tsx'
import { toUrl } from '../kit/request.ts'
import type { Place } from './places.ts'

/** Lists the pages for which a phone's bar has no room. */
export function PlacesMenu({ target, places }: { target: Target; places: Place[] }) {
  const { workspace = '' } = useParams({ strict: false })
  const navigate = useNavigate()
  return (
    <Menu position="top-end" width={220}>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        {places.map(({ to, name, Icon }) => (
          <Menu.Item
            key={name}
            leftSection={<Icon size={16} />}
            onClick={() => void navigate({ to, params: { workspace } })}
          >
            {name}
          </Menu.Item>
        ))}
        <Menu.Item component="a" href={toUrl('/docs')} target="_blank" leftSection={<DocsIcon size={16} />}>
          Docs
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
