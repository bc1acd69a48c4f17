import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { NewTestRun, TestRun } from '../../../server/agent-tests/schema.ts'
import { useApi } from '../kit/api.ts'
import { showError } from '../kit/toast.ts'
import { gateKey, runQuery, runsKey } from './test.ts'

/** The choice of the draft, beside the deployed version and others. */
export const draft_choice = 'draft'

export const toTested = (choice: string): Pick<NewTestRun, 'use_draft' | 'version_id'> =>
  choice === draft_choice ? { use_draft: true } : { version_id: choice }

/** Starts a run. The lists of runs show it at once. */
export function useStartRun(agent_id: string) {
  const api = useApi()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: NewTestRun) => api.send<TestRun>('POST', `/agents/${agent_id}/test_runs`, body),
    onSuccess: async (run) => {
      client.setQueryData<TestRun[]>(runsKey(api, agent_id), (runs) => runs && [run, ...runs])
      client.setQueryData(runQuery(api, run.id).queryKey, { ...run, results: [] })
      await client.invalidateQueries({ queryKey: gateKey(api, agent_id) })
    },
    onError: showError,
  })
}

/** Starts a run and opens its page. */
export function useStartAndOpenRun(agent_id: string) {
  const { workspace } = useApi()
  const navigate = useNavigate()
  const starting = useStartRun(agent_id)
  const start = (body: NewTestRun, onStarted?: () => void) =>
    // `mutateAsync`, because the callbacks of `mutate` don't run when the button that was clicked is gone.
    void starting.mutateAsync(body).then(
      ({ id }) => {
        onStarted?.()
        return navigate({
          to: '/w/$workspace/agents/$id/runs/$run_id',
          params: { workspace, id: agent_id, run_id: id },
        })
      },
      // `useStartRun` has shown the error.
      () => undefined,
    )
  return { start, is_starting: starting.isPending }
}
