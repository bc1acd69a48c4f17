import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { TestRunResult, TestRunWithResults } from '../../../server/agent-tests/schema.ts'
import { useApi } from '../kit/api.ts'
import { Drawer } from '../kit/Drawer.tsx'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { ResultView } from './ResultView.tsx'
import { allResultsQuery, isInProgress } from './test.ts'

interface ResultDrawerProps {
  run: TestRunWithResults
  id: string | undefined
  /** The results that the page lists. Those of the run are known, too. */
  known: TestRunResult[] | undefined
  onClose: () => void
}

export function ResultDrawer({ run, id, known = [], onClose }: ResultDrawerProps) {
  const api = useApi()
  const isShown = (one: TestRunResult) => one.id === id
  const listed = known.find(isShown) ?? run.results.find(isShown)
  // An old link may lead to a result that the page doesn't list.
  const all = useQuery({ ...allResultsQuery(api, run.id), enabled: id !== undefined && !listed && !isInProgress(run) })
  const result = listed ?? all.data?.find(isShown)
  const test_id = result?.test_id
  const link = test_id && (
    <Anchor
      fz="inherit"
      renderRoot={(props) => (
        <Link
          to="/w/$workspace/agents/$id/tests/$test_id"
          params={{ workspace: api.workspace, id: run.agent_id, test_id }}
          {...props}
        />
      )}
    >
      View test
    </Anchor>
  )
  return (
    <Drawer is_open={id !== undefined} label="Result" title={result?.name ?? 'Result'} link={link} onClose={onClose}>
      {result && <ResultView key={result.id} result={result} />}
      {!result && (all.error ? <LoadError error={all.error} retry={all.refetch} /> : <LoadingSkeleton lines={4} />)}
    </Drawer>
  )
}
