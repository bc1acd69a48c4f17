import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { AgentTest } from '../../../server/agent-tests/schema.ts'
import { useApi } from '../kit/api.ts'
import { showError } from '../kit/toast.ts'
import { testQuery, testsKey } from './test.ts'

/** Runs and the gate leave out tests that are disabled. */
export function useEnableTest({ id, agent_id }: AgentTest) {
  const api = useApi()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (is_enabled: boolean) =>
      api.send<AgentTest>('PATCH', `/agents/${agent_id}/tests/${id}`, { is_enabled }),
    onSuccess: (changed) => {
      client.setQueryData(testQuery(api, agent_id, id).queryKey, changed)
      client.setQueryData<AgentTest[]>(testsKey(api, agent_id), (all) =>
        all?.map((one) => (one.id === id ? changed : one)),
      )
    },
    onError: showError,
  })
}
