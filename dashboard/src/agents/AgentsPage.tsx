import { Badge, Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Agent } from '../../../server/agents/schema.ts'
import { useApi } from '../kit/api.ts'
import { AgentIcon, PlusIcon } from '../kit/icons.tsx'
import { Card, Page } from '../kit/Page.tsx'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { useCanEdit } from '../kit/session.ts'
import { EmptyState, LoadError, LoadingSkeleton } from '../kit/states.tsx'
import styles from './agents.module.css'
import { NewAgentDialog } from './NewAgentDialog.tsx'

export function AgentsPage() {
  const api = useApi()
  const can_edit = useCanEdit()
  const [is_creating, setCreating] = useState(false)
  const agents = useInfiniteQuery({
    queryKey: [api.workspace, 'agents', 'list'],
    queryFn: ({ pageParam, signal }) => api.list<Agent>('/agents', { limit: 50, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.next_cursor ?? undefined,
  })
  const all = agents.data?.pages.flatMap(({ data }) => data)
  const create = can_edit && (
    <Button leftSection={<PlusIcon size={17} />} onClick={() => setCreating(true)}>
      New agent
    </Button>
  )
  return (
    <Page title="Agents" actions={create}>
      {agents.error && <LoadError error={agents.error} retry={agents.refetch} />}
      {agents.isPending && (
        <Card>
          <LoadingSkeleton lines={5} />
        </Card>
      )}
      {all?.length === 0 && (
        <Card is_flush>
          <EmptyState icon={<AgentIcon size={24} />} title="No agents yet">
            {can_edit && 'Create one and describe what it should do.'}
          </EmptyState>
        </Card>
      )}
      <ul className={styles.agents} aria-label="Agents">
        {all?.map((agent) => (
          <AgentCard key={agent.id} agent={agent} workspace={api.workspace} />
        ))}
      </ul>
      {agents.hasNextPage && (
        <Button variant="default" mt="lg" onClick={() => void agents.fetchNextPage()}>
          Show more agents
        </Button>
      )}
      <NewAgentDialog is_open={is_creating} onClose={() => setCreating(false)} />
    </Page>
  )
}

function AgentCard({ agent, workspace }: { agent: Agent; workspace: string }) {
  return (
    <li>
      <Link to="/w/$workspace/agents/$id" params={{ workspace, id: agent.id }} className={styles.agent}>
        <span className={styles.agentHead}>
          <strong>{agent.name}</strong>
          <Badge variant="light" tt="none">
            {agent.deployed_version.version_label}
          </Badge>
        </span>
        <span className={styles.agentText}>{agent.description || agent.instructions || 'No instructions'}</span>
        <span className={styles.agentWhen}>
          Created <RelativeTime time={agent.created_at} />
        </span>
      </Link>
    </li>
  )
}
