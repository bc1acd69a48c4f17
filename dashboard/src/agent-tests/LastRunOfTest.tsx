import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { AgentTest, TestRun, TestRunResult } from '../../../server/agent-tests/schema.ts'
import { useApi } from '../kit/api.ts'
import { ProgressBar } from '../kit/ProgressBar.tsx'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import styles from './agent-tests.module.css'
import { ResultView } from './ResultView.tsx'
import { allResultsQuery, isInProgress, lastResultsQuery, progressOf, runQuery, runsQuery, testedName } from './test.ts'

interface LastRunOfTestProps {
  test: AgentTest
  /** The run that was started on this page. */
  run_id: string | undefined
}

/** Shows how the test went: in the run that was started on this page, or else in the last one that had it. */
export const LastRunOfTest = ({ test, run_id }: LastRunOfTestProps) =>
  run_id === undefined ? <FromLastRuns test={test} /> : <FromRun test={test} run_id={run_id} />

function FromRun({ test, run_id }: { test: AgentTest; run_id: string }) {
  const { data: run, error, refetch } = useQuery(runQuery(useApi(), run_id))
  if (error && !run) return <LoadError error={error} retry={refetch} noun="Test run" />
  if (!run) return <LoadingSkeleton lines={3} />
  if (isInProgress(run)) return <ProgressBar verb={`Testing ${testedName(run)}`} {...progressOf(run)} />
  return <Shown run={run} result={run.results.find(({ test_id }) => test_id === test.id)} />
}

function FromLastRuns({ test }: { test: AgentTest }) {
  const api = useApi()
  const runs = useQuery(runsQuery(api, test.agent_id))
  const last = useQuery({
    ...lastResultsQuery(api, { agent_id: test.agent_id, runs: runs.data ?? [], test_ids: [test.id] }),
    enabled: runs.data !== undefined,
  })
  const found = last.data?.get(test.id)
  const results = useQuery({ ...allResultsQuery(api, found?.run.id ?? ''), enabled: found !== undefined })
  const error = runs.error ?? last.error ?? results.error
  if (error) return <LoadError error={error} retry={() => Promise.all([runs.refetch(), last.refetch()])} />
  if (!last.data || (found && !results.data)) return <LoadingSkeleton lines={3} />
  if (!found) return <p className={styles.explanation}>Not run yet.</p>
  return <Shown run={found.run} result={results.data?.find(({ id }) => id === found.id)} />
}

interface ShownProps {
  run: TestRun
  result: TestRunResult | undefined
}

function Shown({ run, result }: ShownProps) {
  const { workspace } = useApi()
  return (
    <>
      <p className={styles.facts}>
        <Anchor
          fz="inherit"
          renderRoot={(props) => (
            <Link
              to="/w/$workspace/agents/$id/runs/$run_id"
              params={{ workspace, id: run.agent_id, run_id: run.id }}
              {...props}
            />
          )}
        >
          Run of {testedName(run)}
        </Anchor>
        <RelativeTime time={run.created_at} />
        {result?.has_test_changed && <span>The test has changed since.</span>}
      </p>
      {result ? <ResultView key={result.id} result={result} /> : <p className={styles.explanation}>Not in this run.</p>}
    </>
  )
}
