import { Anchor, Badge } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { Agent, AgentVersion } from '../../../server/agents/schema.ts'
import { useApi } from '../kit/api.ts'
import { CopyButton } from '../kit/CopyButton.tsx'
import { Card, Page } from '../kit/Page.tsx'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import styles from './agents.module.css'

export function AgentPage() {
  const api = useApi()
  const { id } = useParams({ from: '/w/$workspace/agents/$id' })
  const [chosen, setChosen] = useState<string>()
  const agent = useQuery({
    queryKey: [api.workspace, 'agents', id],
    queryFn: ({ signal }) => api.get<Agent>(`/agents/${id}`, {}, signal),
  })
  const versions = useQuery({
    queryKey: [api.workspace, 'agents', id, 'versions'],
    queryFn: ({ signal }) => api.list<AgentVersion>(`/agents/${id}/versions`, { limit: 100 }, signal),
  })
  const back = (
    <Anchor renderRoot={(props) => <Link to="/w/$workspace/agents" params={{ workspace: api.workspace }} {...props} />}>
      All agents
    </Anchor>
  )
  const deployed = agent.data?.deployed_version
  const shown = versions.data?.data.find((version) => version.id === (chosen ?? deployed?.id))
  return (
    <Page title={agent.data?.name ?? 'Agent'} description={agent.data?.description} actions={back}>
      {agent.error && <LoadError error={agent.error} retry={agent.refetch} noun="Agent" />}
      {!agent.error && (
        <div className={styles.one}>
          <Card
            title={`Instructions${shown ? ` · ${shown.version_label}` : ''}`}
            aside={shown?.instructions && <CopyButton value={shown.instructions} />}
          >
            {shown ? (
              <p className={styles.instructions}>
                {shown.instructions ?? <span className={styles.none}>No instructions.</span>}
              </p>
            ) : (
              <LoadingSkeleton lines={6} />
            )}
          </Card>
          <Card title="Versions">
            {versions.error && <LoadError error={versions.error} retry={versions.refetch} />}
            {versions.isPending && <LoadingSkeleton lines={2} />}
            <ul className={styles.versions}>
              {versions.data?.data.map((version) => (
                <li key={version.id}>
                  <button type="button" aria-pressed={version.id === shown?.id} onClick={() => setChosen(version.id)}>
                    <strong>{version.version_label}</strong>
                    {version.id === deployed?.id && (
                      <Badge variant="light" tt="none">
                        Deployed
                      </Badge>
                    )}
                    <span className={styles.agentWhen}>
                      <RelativeTime time={version.created_at} />
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          </Card>
        </div>
      )}
    </Page>
  )
}
