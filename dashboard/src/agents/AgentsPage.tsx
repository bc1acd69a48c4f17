import { Button } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useContext, useMemo, useState } from 'react'
import type { Agent } from '../../../server/agents/schema.ts'
import { channelsQuery, describeChannel } from '../channels/channel.ts'
import { useApi, useWorkspaceId } from '../kit/api.ts'
import { formatNumber } from '../kit/format.ts'
import { AgentIcon, PlusIcon } from '../kit/icons.tsx'
import { NowContext } from '../kit/now.ts'
import { Page } from '../kit/Page.tsx'
import { pagesQuery } from '../kit/pages.ts'
import { Status } from '../kit/Status.tsx'
import { useCanEdit } from '../kit/session.ts'
import { EmptyState, LoadError } from '../kit/states.tsx'
import { type Column, Table } from '../kit/Table.tsx'
import { type Activity, activityQuery, describeDay } from './activity.ts'
import { NewAgentDialog } from './NewAgentDialog.tsx'

export function AgentsPage() {
  const api = useApi()
  const can_edit = useCanEdit()
  const [is_creating, setCreating] = useState(false)
  const columns = useColumns()
  const agents = useInfiniteQuery(pagesQuery<Agent>(api, [api.workspace, 'agents', 'list'], '/agents', { limit: 50 }))
  const create = can_edit && (
    <Button data-shortcut="c" leftSection={<PlusIcon size={17} />} onClick={() => setCreating(true)}>
      New agent
    </Button>
  )
  return (
    <Page title="Agents" actions={create}>
      {agents.error && !agents.data ? (
        <LoadError error={agents.error} retry={agents.refetch} />
      ) : (
        <Table
          label="Agents"
          columns={columns}
          rows={agents.data?.pages.flatMap(({ data }) => data)}
          getRowId={({ id }) => id}
          remember_as="agents"
          empty={
            <EmptyState icon={<AgentIcon size={24} />} title="No agents yet">
              {can_edit && 'Create one and describe what it should do.'}
            </EmptyState>
          }
        />
      )}
      {agents.hasNextPage && (
        <Button variant="default" mt="md" onClick={() => void agents.fetchNextPage()}>
          Show more agents
        </Button>
      )}
      <NewAgentDialog is_open={is_creating} onClose={() => setCreating(false)} />
    </Page>
  )
}

/** Returns the columns. Those of analytics are left out for people who can't read them. */
function useColumns(): Column<Agent>[] {
  const api = useApi()
  const channels = useQuery(channelsQuery(api)).data?.data
  const now = useContext(NowContext)
  const { data: activity, error } = useQuery(activityQuery(api, now()))
  const has_activity = !error || activity !== undefined
  return useMemo(() => {
    const channelsOf = ({ id }: Agent) =>
      [...new Set(channels?.filter(({ agent_id }) => agent_id === id).map(describeChannel))].join(', ')
    const measured = (measure: (one: Activity | undefined) => string) => (agent: Agent) =>
      activity && measure(activity.get(agent.id))
    return [
      ...known_columns,
      { id: 'channels', name: 'Channels', is_hidden_on_phone: true, cell: channelsOf },
      ...(has_activity
        ? [
            number(
              'conversations',
              'Conversations, 7 d',
              measured((one) => formatNumber(one?.conversations ?? 0)),
            ),
            number(
              'calls',
              'Calls, 7 d',
              measured((one) => formatNumber(one?.calls ?? 0)),
            ),
            number(
              'answer_rate',
              'Answered',
              measured((one) => percent(one)),
            ),
            {
              id: 'last_day',
              name: 'Last activity',
              width: '110px',
              is_hidden_on_phone: true,
              cell: measured((one) => (one ? describeDay(one.last_day, now()) : '—')),
            },
          ]
        : []),
    ]
  }, [channels, activity, has_activity, now])
}

const number = (id: string, name: string, cell: Column<Agent>['cell']): Column<Agent> => ({
  id,
  name,
  cell,
  width: '112px',
  is_number: true,
  is_hidden_on_phone: true,
})

const percent = (one: Activity | undefined): string =>
  one && one.calls > 0 ? `${Math.round((one.answered / one.calls) * 100)} %` : '—'

const known_columns: Column<Agent>[] = [
  { id: 'name', name: 'Name', width: 'minmax(140px, 2fr)', cell: (agent) => <NameLink agent={agent} /> },
  { id: 'live', name: 'Live', width: '110px', cell: (agent) => <Live agent={agent} /> },
  {
    id: 'draft',
    name: 'Draft',
    width: '84px',
    cell: ({ has_unpublished_changes }) => has_unpublished_changes && <Status tone="warning">Changed</Status>,
  },
]

function Live({ agent }: { agent: Agent }) {
  if (agent.cannot_answer_reason === null) return liveVersions(agent)
  return (
    <span title={agent.cannot_answer_reason}>
      <Status tone="danger">Can’t answer</Status>
    </span>
  )
}

/** "v2", "v2, v3 for 20 %". */
const liveVersions = ({ deployed_version, candidate }: Agent): string =>
  [
    deployed_version.version_label,
    ...(candidate ? [`${candidate.version.version_label} for ${candidate.percent} %`] : []),
  ].join(', ')

function NameLink({ agent: { id, name } }: { agent: Agent }) {
  const workspace = useWorkspaceId()
  return (
    <Link to="/w/$workspace/agents/$id" params={{ workspace, id }} title={name}>
      {name}
    </Link>
  )
}
