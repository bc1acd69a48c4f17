import { Anchor, Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { TestGate, TestRun } from '../../../server/agent-tests/schema.ts'
import type { Agent } from '../../../server/agents/schema.ts'
import { useApi } from '../kit/api.ts'
import { formatCount, formatNumber } from '../kit/format.ts'
import { PlayIcon } from '../kit/icons.tsx'
import { ProgressBar } from '../kit/ProgressBar.tsx'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { Status, type Tone } from '../kit/Status.tsx'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import styles from './agent-tests.module.css'
import { gateKey, gateQuery, isInProgress, progressOf, runQuery } from './test.ts'
import { draft_choice, toTested, useStartRun } from './useStartRun.ts'

interface VersionToDeploy {
  agent: Agent
  /** The version to deploy. null is the draft. */
  version_id: string | null
}

type Gate = 'none' | 'passed' | 'running' | 'failed' | 'not_run'

/** Tells how the tests of what would be deployed stand. `gate` is undefined until that is known. */
export function useGate({ agent, version_id }: VersionToDeploy) {
  const api = useApi()
  const client = useQueryClient()
  const asked = useQuery(gateQuery(api, agent.id, version_id))
  const { last_run_id = null, passed_run_id = null, tests = 0 } = asked.data ?? {}
  const last = useQuery({ ...runQuery(api, last_run_id ?? ''), enabled: last_run_id !== null })
  const run = last_run_id === null ? undefined : last.data
  const status = run?.status
  // The run that has ended may count now.
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each change of the status
  useEffect(() => {
    if (status) void client.invalidateQueries({ queryKey: gateKey(api, agent.id) })
  }, [status])
  const is_known = asked.data !== undefined && (last_run_id === null || run !== undefined)
  return {
    gate: is_known ? gateOf(asked.data, run, asked.isFetching) : undefined,
    run,
    shown_run_id: passed_run_id ?? last_run_id,
    count: tests,
    error: asked.error ?? last.error,
    retry: () => Promise.all([asked.refetch(), last_run_id !== null && last.refetch()]),
  }
}

function gateOf({ tests, has_passed }: TestGate, run: TestRun | undefined, is_asking: boolean): Gate {
  if (tests === 0) return 'none'
  if (run && isInProgress(run)) return 'running'
  if (has_passed) return 'passed'
  if (!run) return 'not_run'
  if (run.failed + run.errors > 0) return 'failed'
  // While the gate is read again, the run may have just passed. Otherwise it didn't have all tests.
  return is_asking ? 'running' : 'not_run'
}

interface DeployTestsProps extends VersionToDeploy {
  state: ReturnType<typeof useGate>
  /** Whether a deployment is refused until the tests have passed. */
  is_required: boolean
}

/** Shows what would be tested before a deployment, and how it went. */
export function DeployTests({ agent, version_id, state, is_required }: DeployTestsProps) {
  const starting = useStartRun(agent.id)
  const { gate, run, shown_run_id, count, error, retry } = state
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
        {shown_run_id !== null && <RunLink agent={agent} run_id={shown_run_id} />}
        {run?.id === shown_run_id && <RelativeTime time={run.ended_at} />}
      </p>
      <p className={styles.explanation}>{explain(gate, { is_required, was_run: run !== undefined })}</p>
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
      return { tone: 'warning', text: run ? 'Not all run' : 'Not run' }
  }
}

function explain(gate: Gate, { is_required, was_run }: { is_required: boolean; was_run: boolean }): string {
  if (gate === 'none') return 'No test is enabled, so nothing is checked.'
  if (gate === 'passed') return 'They have passed on what you deploy.'
  const not_run = was_run
    ? 'Not all of them have passed on what you deploy, as they are now.'
    : 'They haven’t been run on what you deploy.'
  const what = gate === 'failed' ? 'They failed on what you deploy.' : not_run
  return is_required ? `${what} This agent is deployed only when its tests pass.` : what
}

function RunLink({ agent, run_id }: { agent: Agent; run_id: string }) {
  const { workspace } = useApi()
  return (
    <Anchor
      fz="inherit"
      renderRoot={(props) => (
        <Link to="/w/$workspace/agents/$id/runs/$run_id" params={{ workspace, id: agent.id, run_id }} {...props} />
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
