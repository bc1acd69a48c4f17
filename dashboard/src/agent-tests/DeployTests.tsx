import { Anchor, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { TestRun } from '../../../server/agent-tests/schema.ts'
import type { Agent } from '../../../server/agents/schema.ts'
import { useApi } from '../kit/api.ts'
import { formatCount, formatNumber } from '../kit/format.ts'
import { PlayIcon } from '../kit/icons.tsx'
import { ProgressBar } from '../kit/ProgressBar.tsx'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { Status, type Tone } from '../kit/Status.tsx'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import styles from './agent-tests.module.css'
import { enabledTests, type Gate, gateOf, progressOf, runsQuery, testsQuery } from './test.ts'
import { draft_choice, toTested, useStartRun } from './useStartRun.ts'

interface Deployed {
  agent: Agent
  /** null: the draft. */
  version_id: string | null
}

/** How the tests of what would be deployed stand. `gate` is undefined until it is known. */
export function useGate({ agent, version_id }: Deployed) {
  const api = useApi()
  const tests = useQuery(testsQuery(api, agent.id))
  const runs = useQuery(runsQuery(api, agent.id))
  const changed_at = version_id === null ? agent.updated_at : undefined
  const known =
    tests.data && runs.data ? gateOf({ tests: tests.data, runs: runs.data, version_id, changed_at }) : undefined
  return {
    ...known,
    count: enabledTests(tests.data ?? []).length,
    error: tests.error ?? runs.error,
    retry: () => Promise.all([tests.refetch(), runs.refetch()]),
  }
}

interface DeployTestsProps extends Deployed {
  state: ReturnType<typeof useGate>
  /** A deployment is refused until they have passed. */
  is_required: boolean
}

/** What would be tested before a deployment, and how it went. */
export function DeployTests({ agent, version_id, state, is_required }: DeployTestsProps) {
  const starting = useStartRun(agent.id)
  const { gate, run, count, error, retry } = state
  if (!gate) return error ? <LoadError error={error} retry={retry} /> : <LoadingSkeleton lines={2} />
  const tested = toTested(version_id ?? draft_choice)
  if (gate === 'running' && run)
    return (
      <ProgressBar
        verb="Testing"
        {...progressOf(run)}
        detail={`${formatNumber(run.done)} of ${formatNumber(run.tests)}. You can close this and come back.`}
      />
    )
  return (
    <div className={styles.gate}>
      <p className={styles.facts}>
        <GateStatus gate={gate} run={run} count={count} />
        {run && <RunLink run={run} />}
        {run && <RelativeTime time={run.ended_at} />}
      </p>
      <p className={styles.explanation}>{explain(gate, is_required)}</p>
      {gate === 'none' ? (
        <TestsPageLink agent={agent} />
      ) : (
        <Button
          className={styles.alone}
          variant="default"
          size="xs"
          leftSection={<PlayIcon size={15} />}
          loading={starting.isPending}
          onClick={() => starting.mutate(tested)}
        >
          {gate === 'not_run' ? `Run ${formatCount(count, 'test')}` : 'Run again'}
        </Button>
      )}
    </div>
  )
}

interface GateStatusProps {
  gate: Gate
  run: TestRun | undefined
  count: number
}

function GateStatus({ gate, run, count }: GateStatusProps) {
  const { tone, text } = gateStatus(gate, run, count)
  return <Status tone={tone}>{text}</Status>
}

function gateStatus(gate: Gate, run: TestRun | undefined, count: number): { tone: Tone; text: string } {
  switch (gate) {
    case 'none':
      return { tone: 'neutral', text: 'No tests' }
    case 'passed':
      return { tone: 'success', text: `${formatCount(count, 'test')} passed` }
    case 'failed': {
      const failed = (run?.failed ?? 0) + (run?.errors ?? 0)
      return { tone: 'danger', text: `${formatNumber(failed)} of ${formatCount(run?.tests ?? count, 'test')} failed` }
    }
    default:
      return { tone: 'warning', text: 'Not run' }
  }
}

function explain(gate: Gate, is_required: boolean): string {
  if (gate === 'none') return 'No test is enabled, so nothing is checked.'
  if (gate === 'passed') return 'They have passed on what you deploy.'
  const what = gate === 'failed' ? 'They failed on what you deploy.' : 'They haven’t been run since the last change.'
  return is_required ? `${what} This agent is deployed only when its tests pass.` : what
}

function RunLink({ run }: { run: TestRun }) {
  const { workspace } = useApi()
  return (
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
      View run
    </Anchor>
  )
}

function TestsPageLink({ agent }: { agent: Agent }) {
  const { workspace } = useApi()
  return (
    <Anchor
      fz="13px"
      renderRoot={(props) => (
        <Link to="/w/$workspace/agents/$id/tests" params={{ workspace, id: agent.id }} {...props} />
      )}
    >
      View tests
    </Anchor>
  )
}
