import { Badge } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Agent, AgentVersion } from '../../../server/agents/schema.ts'
import { type Api, useApi } from '../kit/api.ts'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { useCanEdit } from '../kit/session.ts'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import styles from './agents.module.css'
import { Deployments } from './Deployments.tsx'
import { DeployVersion } from './DeployVersion.tsx'

export const versionsQuery = (api: Api, agent_id: string) =>
  queryOptions({
    queryKey: [api.workspace, 'agents', agent_id, 'versions'],
    queryFn: ({ signal }) => api.list<AgentVersion>(`/agents/${agent_id}/versions`, { limit: 100 }, signal),
  })

export function Versions({ agent }: { agent: Agent }) {
  const api = useApi()
  const can_edit = useCanEdit()
  const [chosen, setChosen] = useState<string>()
  const { data, error, isPending, refetch } = useQuery(versionsQuery(api, agent.id))
  const shown = data?.data.find(({ id }) => id === (chosen ?? agent.deployed_version.id))
  return (
    <>
      {error && <LoadError error={error} retry={refetch} />}
      {isPending && <LoadingSkeleton lines={2} />}
      <ul className={styles.versions} aria-label="Versions">
        {data?.data.map((version) => (
          <li key={version.id}>
            <button type="button" aria-pressed={version.id === shown?.id} onClick={() => setChosen(version.id)}>
              <strong>{version.version_label}</strong>
              <VersionBadge agent={agent} version={version} />
              <span className={styles.agentWhen}>
                <RelativeTime time={version.created_at} />
              </span>
              {version.note && <span className={styles.note}>{version.note}</span>}
            </button>
          </li>
        ))}
      </ul>
      {can_edit && shown && shown.id !== agent.deployed_version.id && <DeployVersion agent={agent} version={shown} />}
      <Deployments agent_id={agent.id} />
    </>
  )
}

function VersionBadge({ agent, version }: { agent: Agent; version: AgentVersion }) {
  const { deployed_version, candidate } = agent
  const is_candidate = version.id === candidate?.version.id
  if (version.id !== deployed_version.id && !is_candidate) return null
  return (
    <Badge variant="light" tt="none" {...(is_candidate && { color: 'gray' })}>
      {is_candidate ? `Candidate, ${candidate?.percent} %` : 'Deployed'}
    </Badge>
  )
}
