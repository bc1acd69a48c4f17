import { Menu } from '@mantine/core'
import { CheckIcon } from '../kit/icons.tsx'
import type { Target } from '../kit/lazy-menu.tsx'
import { useMakeTest } from './useMakeTest.ts'

interface ConversationMenuProps {
  conversation_id: string
  target: Target
}

export function ConversationMenu({ conversation_id, target }: ConversationMenuProps) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        <MakeTestItem conversation_id={conversation_id} />
      </Menu.Dropdown>
    </Menu>
  )
}

export function MakeTestItem({ conversation_id }: { conversation_id: string }) {
  const making = useMakeTest()
  return (
    <Menu.Item
      leftSection={<CheckIcon size={16} />}
      disabled={making.isPending}
      onClick={() => making.mutate(conversation_id)}
    >
      Make a test of this
    </Menu.Item>
  )
}
