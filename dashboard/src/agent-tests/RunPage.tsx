import { Anchor, Button, SegmentedControl } from '@mantine/core'
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import type { TestRun, TestRunResult, TestRunWithResults } from '../../../server/agent-tests/schema.ts'
import { authorName } from '../agents/versions.ts'
import { useApi } from '../kit/api.ts'
import { formatNumber } from '../kit/format.ts'
import { CheckIcon, ExportIcon, RotateIcon } from '../kit/icons.tsx'
import { rowsOf } from '../kit/merged-lists.ts'
import { Page } from '../kit/Page.tsx'
import { ProgressBar } from '../kit/ProgressBar.tsx'
import { pagesQuery } from '../kit/pages.ts'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { Status } from '../kit/Status.tsx'
import { useCanEdit } from '../kit/session.ts'
import { EmptyState, LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { type Column, Table } from '../kit/Table.tsx'
import { showError } from '../kit/toast.ts'
import styles from './agent-tests.module.css'
import { ResultDrawer } from './ResultDrawer.tsx'
import { RunStatus } from './RunStatus.tsx'
import {
  describeResult,
  firstProblem,
  formatTook,
  isInProgress,
  kind_names,
  progressOf,
  replay_result_names,
  result_names,
  runQuery,
  runsKey,
  testedName,
} from './test.ts'
import { draft_choice, toTested, useStartAndOpenRun } from './useStartRun.ts'

/** A run is answered with this many results. Further ones are read page by page. */
const results_first = 100
const page_size = 50
const filters = ['all', 'failed', 'error', 'passed'] as const
type Filter = (typeof filters)[number]

export function RunPage() {
  const api = useApi()
  const client = useQueryClient()
  const { id: agent_id, run_id } = useParams({ from: '/w/$workspace/agents/$id/runs/$run_id' })
  const { data: run, error, refetch } = useQuery(runQuery(api, run_id))
  const status = run?.status
  // The lists of runs and the last results of tests depend on the status.
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each change of the status
  useEffect(() => {
    if (status) void client.invalidateQueries({ queryKey: runsKey(api, agent_id) })
  }, [status])
  const title = run ? `${run.kind === 'replay' ? 'Replay' : 'Tests'} of ${testedName(run)}` : 'Test run'
  return (
    <Page title={title} description={run && <RunFacts run={run} />} actions={run && <RunActions run={run} />}>
      {error && !run && <LoadError error={error} retry={refetch} noun="Test run" />}
      {!run && !error && <LoadingSkeleton lines={6} />}
      {run && <Results run={run} />}
    </Page>
  )
}

function RunFacts({ run }: { run: TestRun }) {
  const { workspace } = useApi()
  const { started_at, ended_at, repeat, passes_min, usage } = run
  const tokens = usage.input_tokens + usage.output_tokens
  return (
    <span className={styles.facts}>
      <RunStatus run={run} />
      <Anchor
        fz="inherit"
        renderRoot={(props) => (
          <Link
            to={run.kind === 'replay' ? '/w/$workspace/agents/$id/runs' : '/w/$workspace/agents/$id/tests'}
            params={{ workspace, id: run.agent_id }}
            {...props}
          />
        )}
      >
        {run.kind === 'replay' ? 'All runs' : 'All tests'}
      </Anchor>
      <span>
        {authorName(run.created_by)} · <RelativeTime time={run.created_at} />
      </span>
      {repeat > 1 && (
        <span>
          {formatNumber(repeat)} times each, {formatNumber(passes_min)} must pass
        </span>
      )}
      {started_at && ended_at && <span>Took {formatTook(Date.parse(ended_at) - Date.parse(started_at))}</span>}
      {tokens > 0 && <span>{formatNumber(tokens)} tokens</span>}
    </span>
  )
}

function RunActions({ run }: { run: TestRunWithResults }) {
  const api = useApi()
  const client = useQueryClient()
  const can_edit = useCanEdit()
  const { start, is_starting } = useStartAndOpenRun(run.agent_id)
  const canceling = useMutation({
    mutationFn: () => api.send<TestRun>('POST', `/test_runs/${run.id}/cancel`),
    onSuccess: () => client.invalidateQueries(runQuery(api, run.id)),
    onError: showError,
  })
  const saving = useMutation({
    mutationFn: () => api.download(`/test_runs/${run.id}`, { format: 'junit' }),
    onError: showError,
  })
  const again = () => {
    const tested = toTested(run.agent_version.id ?? draft_choice)
    if (run.kind === 'replay') return start({ ...tested, replay: { last: Math.max(1, run.tests) } })
    const test_ids = run.results.flatMap(({ test_id }) => test_id ?? [])
    // If the page doesn't know all tests of the run, all enabled tests run again.
    const are_all_known = run.tests <= results_first && test_ids.length > 0
    start({ ...tested, ...(are_all_known && { test_ids }), repeat: run.repeat, passes_min: run.passes_min })
  }
  if (isInProgress(run))
    return can_edit ? (
      <Button variant="default" loading={canceling.isPending} onClick={() => canceling.mutate()}>
        Cancel run
      </Button>
    ) : null
  return (
    <>
      {run.kind === 'tests' && (
        <Button
          variant="default"
          leftSection={<ExportIcon size={17} />}
          loading={saving.isPending}
          onClick={() => saving.mutate()}
        >
          Download JUnit
        </Button>
      )}
      {can_edit && (
        <Button variant="default" leftSection={<RotateIcon size={16} />} loading={is_starting} onClick={again}>
          Run again
        </Button>
      )}
    </>
  )
}

function Results({ run }: { run: TestRunWithResults }) {
  const api = useApi()
  const navigate = useNavigate()
  const { id: agent_id, run_id } = useParams({ from: '/w/$workspace/agents/$id/runs/$run_id' })
  const { result: open_id } = useSearch({ from: '/w/$workspace/agents/$id/runs/$run_id' })
  const [filter, setFilter] = useState<Filter>('all')
  const is_replay = run.kind === 'replay'
  const filtered = useInfiniteQuery({
    ...pagesQuery<TestRunResult>(
      api,
      [api.workspace, 'test_runs', run_id, 'filtered', run.done],
      `/test_runs/${run_id}/results`,
      { limit: page_size, status: filter },
    ),
    enabled: filter !== 'all',
  })
  const names = is_replay ? replay_result_names : result_names
  const counts = { all: run.tests, failed: run.failed, error: run.errors, passed: run.passed }
  const columns = useMemo(() => columnsOf(run), [run])
  const query = filter === 'all' ? undefined : filtered
  const rows = query ? query.data && rowsOf(query) : run.results
  const close = () =>
    void navigate({
      to: '/w/$workspace/agents/$id/runs/$run_id',
      params: { workspace: api.workspace, id: agent_id, run_id },
      search: {},
      resetScroll: false,
    })
  return (
    <>
      {isInProgress(run) && (
        <div className={styles.inProgress}>
          <ProgressBar verb={is_replay ? 'Replaying' : 'Testing'} {...progressOf(run)} />
        </div>
      )}
      <SegmentedControl
        className={styles.filter}
        size="sm"
        aria-label="Filter results"
        value={filter}
        onChange={(value) => setFilter(value as Filter)}
        data={filters
          .filter((one) => one !== 'error' || run.errors > 0)
          .map((one) => ({ value: one, label: `${one === 'all' ? 'All' : names[one]} ${formatNumber(counts[one])}` }))}
      />
      {query?.error && !query.data ? (
        <LoadError error={query.error} retry={query.refetch} />
      ) : (
        <Table
          label="Results"
          columns={columns}
          rows={rows}
          getRowId={({ id }) => id}
          isHighlighted={({ id }) => id === open_id}
          empty={<EmptyState icon={<CheckIcon size={24} />} title="No results" />}
        />
      )}
      {filter === 'all' && run.tests > results_first && (
        <p className={styles.explanation}>
          The first {results_first} of {formatNumber(run.tests)}, failures first. Choose a status to see the others.
        </p>
      )}
      {query?.hasNextPage && (
        <Button variant="default" mt="md" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Show more results
        </Button>
      )}
      <ResultDrawer run={run} id={open_id} known={rows} onClose={close} />
    </>
  )
}

const columnsOf = (run: TestRun): Column<TestRunResult>[] => [
  { id: 'name', name: run.kind === 'replay' ? 'Conversation' : 'Test', cell: (result) => ResultLink(run, result) },
  {
    id: 'status',
    name: 'Result',
    width: run.repeat > 1 ? '190px' : '110px',
    cell: (result) => {
      const { tone, text } = describeResult({ ...result, is_replay: run.kind === 'replay' })
      return <Status tone={tone}>{text}</Status>
    },
  },
  {
    id: 'problem',
    name: run.kind === 'replay' ? 'What differs' : 'What failed',
    width: 'minmax(0, 3fr)',
    is_hidden_on_phone: true,
    cell: (result) => {
      const problem = firstProblem(result)
      return <span title={problem}>{problem}</span>
    },
  },
  ...(run.kind === 'replay'
    ? []
    : [
        {
          id: 'kind',
          name: 'Kind',
          width: '110px',
          is_hidden_on_phone: true,
          cell: ({ kind }: TestRunResult) => (kind === 'replay' ? 'Replay' : kind_names[kind]),
        },
      ]),
]

const ResultLink = (run: TestRun, { id, name }: TestRunResult) => <OpenResult run={run} id={id} name={name} />

function OpenResult({ run, id, name }: { run: TestRun; id: string; name: string }) {
  const { workspace } = useApi()
  return (
    <Link
      to="/w/$workspace/agents/$id/runs/$run_id"
      params={{ workspace, id: run.agent_id, run_id: run.id }}
      search={{ result: id }}
      resetScroll={false}
      title={name}
    >
      {name}
    </Link>
  )
}
