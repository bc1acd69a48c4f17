import { Button, Menu } from '@mantine/core'
import type { ReactNode } from 'react'
import { ChevronIcon } from './icons.tsx'

/** The button "More" of a page, with a menu of actions. */
export function MoreMenu({ children }: { children: ReactNode }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" rightSection={<ChevronIcon size={17} />}>
          More
        </Button>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  )
}
