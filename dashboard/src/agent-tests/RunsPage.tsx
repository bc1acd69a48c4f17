import { Button } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { TestRun } from '../../../server/agent-tests/schema.ts'
import { agentQuery } from '../agents/draft.ts'
import { authorName } from '../agents/versions.ts'
import { useApi } from '../kit/api.ts'
import { ClockIcon, RotateIcon } from '../kit/icons.tsx'
import { rowsOf } from '../kit/merged-lists.ts'
import { Page } from '../kit/Page.tsx'
import { pagesQuery } from '../kit/pages.ts'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { useCanEdit } from '../kit/session.ts'
import { EmptyState, LoadError } from '../kit/states.tsx'
import { type Column, Table } from '../kit/Table.tsx'
import { AgentTabs } from './AgentTabs.tsx'
import { ReplayDialog } from './RunDialogs.tsx'
import { RunStatus } from './RunStatus.tsx'
import { isInProgress, runsKey, testedName } from './test.ts'
import { draft_choice } from './useStartRun.ts'

const page_size = 50
const refetch_ms = 1_000

/** Runs are kept for 90 days. */
export function RunsPage() {
  const api = useApi()
  const { id: agent_id } = useParams({ from: '/w/$workspace/agents/$id/runs' })
  const can_edit = useCanEdit()
  const [is_replaying, setReplaying] = useState(false)
  const agent = useQuery(agentQuery(api, agent_id))
  const runs = useInfiniteQuery({
    ...pagesQuery<TestRun>(api, [...runsKey(api, agent_id), 'list'], `/agents/${agent_id}/test_runs`, {
      limit: page_size,
    }),
    refetchInterval: ({ state: { data } }) =>
      data?.pages.length === 1 && rowsOf({ data }).some(isInProgress) ? refetch_ms : false,
  })
  const name = agent.data?.data.name
  const error = agent.error ?? runs.error
  return (
    <Page
      title={name ?? 'Agent'}
      browser_title={name === undefined ? 'Test runs' : `Test runs of ${name}`}
      tabs={<AgentTabs />}
      actions={
        can_edit && (
          <Button variant="default" leftSection={<RotateIcon size={16} />} onClick={() => setReplaying(true)}>
            Replay conversations…
          </Button>
        )
      }
    >
      <ReplayDialog
        agent_id={agent_id}
        tested={draft_choice}
        is_open={is_replaying}
        onClose={() => setReplaying(false)}
      />
      {error && !(agent.data && runs.data) ? (
        <LoadError error={error} retry={() => Promise.all([agent.refetch(), runs.refetch()])} noun="Agent" />
      ) : (
        <Table
          label="Test runs"
          columns={columns}
          rows={runs.data && rowsOf(runs)}
          getRowId={({ id }) => id}
          empty={
            <EmptyState icon={<ClockIcon size={24} />} title="No runs yet">
              Runs of tests and replays of conversations are listed here for 90 days.
            </EmptyState>
          }
        />
      )}
      {runs.hasNextPage && (
        <Button variant="default" mt="md" loading={runs.isFetchingNextPage} onClick={() => void runs.fetchNextPage()}>
          Show more runs
        </Button>
      )}
    </Page>
  )
}

const columns: Column<TestRun>[] = [
  { id: 'run', name: 'Run', cell: (run) => <RunLink run={run} /> },
  { id: 'status', name: 'Result', cell: (run) => <RunStatus run={run} /> },
  { id: 'by', name: 'By', is_hidden_on_phone: true, cell: ({ created_by }) => authorName(created_by) },
  {
    id: 'created_at',
    name: 'Started',
    width: '120px',
    cell: ({ created_at }) => <RelativeTime time={created_at} />,
  },
]

function RunLink({ run }: { run: TestRun }) {
  const { workspace } = useApi()
  return (
    <Link to="/w/$workspace/agents/$id/runs/$run_id" params={{ workspace, id: run.agent_id, run_id: run.id }}>
      {run.kind === 'replay' ? 'Replay' : 'Tests'} of {testedName(run)}
      {run.repeat > 1 && `, ${run.repeat} times`}
    </Link>
  )
}
