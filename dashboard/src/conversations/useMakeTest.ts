import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { AgentTest } from '../../../server/agent-tests/schema.ts'
import { useApi } from '../kit/api.ts'
import { showError, showToast } from '../kit/toast.ts'

/** Makes a test of what was said, and opens it. */
export function useMakeTest() {
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
