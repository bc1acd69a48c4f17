import { Menu } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { AgentTest } from '../../../server/agent-tests/schema.ts'
import { useApi } from '../kit/api.ts'
import { CheckIcon } from '../kit/icons.tsx'
import type { Target } from '../kit/lazy-menu.tsx'
import { showError, showToast } from '../kit/toast.ts'

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

/** Makes a test of what was said, and opens it. */
function useMakeTest() {
  const api = useApi()
  const client = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: (conversation_id: string) => api.send<AgentTest>('POST', `/conversations/${conversation_id}/make_test`),
    onSuccess: async ({ id: test_id, agent_id }) => {
      await navigate({
        to: '/w/$workspace/agents/$id/tests/$test_id',
        params: { workspace: api.workspace, id: agent_id, test_id },
      })
      showToast('Test created. Say what the agent should do.')
      await client.invalidateQueries({ queryKey: [api.workspace, 'agents', agent_id, 'tests'] })
    },
    onError: showError,
  })
}
