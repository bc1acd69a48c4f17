import { ActionIcon, Anchor, Button, Menu, Switch } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { AgentTest, TestRun } from '../../../server/agent-tests/schema.ts'
import { agentQuery } from '../agents/draft.ts'
import { useApi } from '../kit/api.ts'
import { ConfirmDialog } from '../kit/ConfirmDialog.tsx'
import { formatCount } from '../kit/format.ts'
import { CheckIcon, PlayIcon, PlusIcon } from '../kit/icons.tsx'
import { MoreMenu } from '../kit/MoreMenu.tsx'
import { Page } from '../kit/Page.tsx'
import { ProgressBar } from '../kit/ProgressBar.tsx'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { runConcurrently } from '../kit/run-concurrently.ts'
import { Status } from '../kit/Status.tsx'
import { useCanEdit } from '../kit/session.ts'
import { EmptyState, LoadError } from '../kit/states.tsx'
import { type Column, type Selection, Table } from '../kit/Table.tsx'
import { showToast } from '../kit/toast.ts'
import { AgentTabs } from './AgentTabs.tsx'
import styles from './agent-tests.module.css'
import { RepeatDialog, ReplayDialog } from './RunDialogs.tsx'
import {
  describeChecks,
  describeResult,
  enabledTests,
  isInProgress,
  kind_names,
  type LastResult,
  lastResultsQuery,
  progressOf,
  runsQuery,
  testedName,
  testsKey,
  testsQuery,
} from './test.ts'
import { useEnableTest } from './useEnableTest.ts'
import { draft_choice, toTested, useStartAndOpenRun } from './useStartRun.ts'
import { VersionChoice } from './VersionChoice.tsx'

export function TestsPage() {
  const api = useApi()
  const { id: agent_id } = useParams({ from: '/w/$workspace/agents/$id/tests' })
  const can_edit = useCanEdit()
  const agent = useQuery(agentQuery(api, agent_id))
  const tests = useQuery(testsQuery(api, agent_id))
  const runs = useQuery(runsQuery(api, agent_id))
  const [tested, setTested] = useState(draft_choice)
  const [selected, setSelected] = useState<ReadonlyMap<string, AgentTest>>(new Map())
  const { start, is_starting } = useStartAndOpenRun(agent_id)
  const name = agent.data?.data.name
  const error = agent.error ?? tests.error
  const all = tests.data
  const columns = useColumns(agent_id, all, runs.data, (test) => start({ ...toTested(tested), test_ids: [test.id] }))
  const selection = useSelection({ all, selected, setSelected, can_edit, agent_id, tested })
  const has_tests = all !== undefined && all.length > 0
  return (
    <Page
      title={name ?? 'Agent'}
      browser_title={name === undefined ? 'Tests' : `Tests of ${name}`}
      tabs={<AgentTabs />}
      actions={
        can_edit &&
        has_tests && (
          <TestActions
            agent_id={agent_id}
            tests={all}
            tested={tested}
            onChooseTested={setTested}
            onRun={() => start(toTested(tested))}
            is_starting={is_starting}
          />
        )
      }
    >
      <RunsInProgress agent_id={agent_id} runs={runs.data ?? []} />
      {error && !(agent.data && all) ? (
        <LoadError error={error} retry={() => Promise.all([agent.refetch(), tests.refetch()])} noun="Agent" />
      ) : (
        <Table
          label="Tests"
          columns={columns}
          rows={all}
          getRowId={({ id }) => id}
          selection={selection}
          empty={<NoTests agent_id={agent_id} can_edit={can_edit} />}
        />
      )}
    </Page>
  )
}

const NoTests = ({ agent_id, can_edit }: { agent_id: string; can_edit: boolean }) => (
  <EmptyState
    icon={<CheckIcon size={24} />}
    title="No tests yet"
    action={can_edit && <NewTestLink agent_id={agent_id} />}
  >
    A test says what a contact says and what the agent should answer. Run your tests before a deployment to see what a
    change breaks. You can also make a test of any conversation.
  </EmptyState>
)

function NewTestLink({ agent_id }: { agent_id: string }) {
  const { workspace } = useApi()
  return (
    <Button
      data-shortcut="c"
      leftSection={<PlusIcon size={17} />}
      renderRoot={(props) => (
        <Link to="/w/$workspace/agents/$id/tests/new" params={{ workspace, id: agent_id }} {...props} />
      )}
    >
      New test
    </Button>
  )
}

interface TestActionsProps {
  agent_id: string
  tests: AgentTest[]
  tested: string
  onChooseTested: (tested: string) => void
  onRun: () => void
  is_starting: boolean
}

function TestActions({ agent_id, tests, tested, onChooseTested, onRun, is_starting }: TestActionsProps) {
  const [dialog, setDialog] = useState<'repeat' | 'replay'>()
  const close = () => setDialog(undefined)
  const enabled = enabledTests(tests)
  return (
    <>
      <VersionChoice agent_id={agent_id} label="Run against" is_label_hidden value={tested} onChange={onChooseTested} />
      <Button
        variant="default"
        leftSection={<PlayIcon size={16} />}
        disabled={enabled.length === 0}
        loading={is_starting}
        onClick={onRun}
      >
        Run all
      </Button>
      <MoreMenu>
        <Menu.Item disabled={enabled.length === 0} onClick={() => setDialog('repeat')}>
          Run several times…
        </Menu.Item>
        <Menu.Item onClick={() => setDialog('replay')}>Replay conversations…</Menu.Item>
      </MoreMenu>
      <NewTestLink agent_id={agent_id} />
      <RepeatDialog agent_id={agent_id} tested={tested} is_open={dialog === 'repeat'} onClose={close} />
      <ReplayDialog agent_id={agent_id} tested={tested} is_open={dialog === 'replay'} onClose={close} />
    </>
  )
}

/** Shows the runs in progress: someone who has left one finds it again here. */
function RunsInProgress({ agent_id, runs }: { agent_id: string; runs: TestRun[] }) {
  const { workspace } = useApi()
  const running = runs.filter(isInProgress)
  return running.map((run) => (
    <section key={run.id} className={styles.inProgress} aria-label="Run in progress">
      <ProgressBar verb={`Testing ${testedName(run)}`} {...progressOf(run)} />
      <Anchor
        fz="inherit"
        renderRoot={(props) => (
          <Link
            to="/w/$workspace/agents/$id/runs/$run_id"
            params={{ workspace, id: agent_id, run_id: run.id }}
            {...props}
          />
        )}
      >
        View run
      </Anchor>
    </section>
  ))
}

function useColumns(
  agent_id: string,
  tests: AgentTest[] | undefined,
  runs: TestRun[] | undefined,
  onRun: (test: AgentTest) => void,
): Column<AgentTest>[] {
  const api = useApi()
  const can_edit = useCanEdit()
  const test_ids = useMemo(() => tests?.map(({ id }) => id) ?? [], [tests])
  const { data: results } = useQuery({
    ...lastResultsQuery(api, { agent_id, runs: runs ?? [], test_ids }),
    enabled: runs !== undefined && test_ids.length > 0,
    placeholderData: (before) => before,
  })
  const latest = useRef(onRun)
  latest.current = onRun
  return useMemo(
    () => [
      { id: 'name', name: 'Name', cell: (test) => <TestLink test={test} /> },
      { id: 'kind', name: 'Kind', width: '110px', is_hidden_on_phone: true, cell: ({ kind }) => kind_names[kind] },
      { id: 'checks', name: 'The agent', width: 'minmax(0, 2fr)', is_hidden_on_phone: true, cell: Checks },
      {
        id: 'last',
        name: 'Last result',
        width: '150px',
        cell: ({ id }) => <Last result={results?.get(id)} agent_id={agent_id} />,
      },
      {
        id: 'enabled',
        name: 'Enabled',
        width: '64px',
        is_hidden_on_phone: true,
        cell: (test) => (can_edit ? <EnabledSwitch test={test} /> : test.is_enabled ? 'Yes' : 'No'),
      },
      ...(can_edit
        ? [
            {
              id: 'run',
              name: 'Run',
              width: '28px',
              is_name_hidden: true,
              is_hidden_on_phone: true,
              cell: (test: AgentTest) => (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={26}
                  aria-label={`Run ${test.name}`}
                  onClick={() => latest.current(test)}
                >
                  <PlayIcon size={15} />
                </ActionIcon>
              ),
            },
          ]
        : []),
    ],
    [results, can_edit, agent_id],
  )
}

function Checks(test: AgentTest) {
  const text = describeChecks(test)
  return <span title={text}>{text || 'Ends without an error'}</span>
}

function TestLink({ test: { id: test_id, agent_id, name } }: { test: AgentTest }) {
  const { workspace } = useApi()
  return (
    <Link to="/w/$workspace/agents/$id/tests/$test_id" params={{ workspace, id: agent_id, test_id }} title={name}>
      {name}
    </Link>
  )
}

function Last({ result, agent_id }: { result: LastResult | undefined; agent_id: string }) {
  const { workspace } = useApi()
  if (!result) return 'Not run'
  const { tone, text } = describeResult(result)
  const { run } = result
  return (
    <Link
      className={styles.last}
      to="/w/$workspace/agents/$id/runs/$run_id"
      params={{ workspace, id: agent_id, run_id: run.id }}
      search={{ result: result.id }}
    >
      <Status tone={tone}>{text}</Status>
      <RelativeTime time={run.ended_at} />
    </Link>
  )
}

function EnabledSwitch({ test }: { test: AgentTest }) {
  const enabling = useEnableTest(test)
  return (
    <Switch
      size="xs"
      aria-label={`Enable ${test.name}`}
      checked={enabling.isPending ? enabling.variables : test.is_enabled}
      onChange={({ currentTarget }) => enabling.mutate(currentTarget.checked)}
    />
  )
}

interface SelectionOptions {
  all: AgentTest[] | undefined
  selected: ReadonlyMap<string, AgentTest>
  setSelected: (selected: ReadonlyMap<string, AgentTest>) => void
  can_edit: boolean
  agent_id: string
  tested: string
}

function useSelection(options: SelectionOptions): Selection<AgentTest> | undefined {
  const { all = [], selected, setSelected, can_edit, agent_id, tested } = options
  // Tests that were deleted elsewhere are no longer selected.
  const gone = [...selected.keys()].some((id) => !all.some((test) => test.id === id))
  useEffect(() => {
    if (gone) setSelected(new Map([...selected].filter(([id]) => all.some((test) => test.id === id))))
  }, [gone, all, selected, setSelected])
  if (!can_edit) return undefined
  return {
    selected,
    onChange: setSelected,
    nameOf: ({ name }) => name,
    total: all.length,
    loadAll: async () => all,
    actions: <BulkActions agent_id={agent_id} tested={tested} ids={[...selected.keys()]} />,
  }
}

function BulkActions({ agent_id, tested, ids }: { agent_id: string; tested: string; ids: string[] }) {
  const api = useApi()
  const client = useQueryClient()
  const [is_deleting, setDeleting] = useState(false)
  const { start, is_starting } = useStartAndOpenRun(agent_id)
  const remove = async () => {
    const path = `/agents/${agent_id}/tests`
    const failures = await runConcurrently(ids, (id) => api.send('DELETE', `${path}/${id}`))
    await client.invalidateQueries({ queryKey: testsKey(api, agent_id) })
    if (failures[0]) throw failures[0].error
    showToast(`${formatCount(ids.length, 'test')} deleted.`)
  }
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<PlayIcon size={15} />}
        loading={is_starting}
        onClick={() => start({ ...toTested(tested), test_ids: ids })}
      >
        Run selected
      </Button>
      <Button size="xs" variant="default" color="red" onClick={() => setDeleting(true)}>
        Delete
      </Button>
      <ConfirmDialog
        is_open={is_deleting}
        title={`Delete ${formatCount(ids.length, 'test')}?`}
        confirm_label="Delete"
        onClose={() => setDeleting(false)}
        onConfirm={remove}
      >
        Results of past runs are kept. This can’t be undone.
      </ConfirmDialog>
    </>
  )
}
