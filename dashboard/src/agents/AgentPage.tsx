import { Alert, Anchor, Badge } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { Agent, AgentVersion, AgentWithDraft } from '../../../server/agents/schema.ts'
import { useApi } from '../kit/api.ts'
import { CopyButton } from '../kit/CopyButton.tsx'
import { Card, Page, Stack } from '../kit/Page.tsx'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { useCanEdit } from '../kit/session.ts'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { AgentActions } from './AgentActions.tsx'
import styles from './agents.module.css'
import { Deployments } from './Deployments.tsx'
import { DeployVersion } from './DeployVersion.tsx'

export function AgentPage() {
  const api = useApi()
  const can_edit = useCanEdit()
  const { id } = useParams({ from: '/w/$workspace/agents/$id' })
  const [chosen, setChosen] = useState<string>()
  const {
    data: agent,
    error,
    refetch,
  } = useQuery({
    queryKey: [api.workspace, 'agents', id],
    queryFn: ({ signal }) => api.get<AgentWithDraft>(`/agents/${id}`, {}, signal),
  })
  const versions = useQuery({
    queryKey: [api.workspace, 'agents', id, 'versions'],
    queryFn: ({ signal }) => api.list<AgentVersion>(`/agents/${id}/versions`, { limit: 100 }, signal),
  })
  const back = (
    <Anchor
      className={styles.back}
      renderRoot={(props) => <Link to="/w/$workspace/agents" params={{ workspace: api.workspace }} {...props} />}
    >
      All agents
    </Anchor>
  )
  const deployed = agent?.deployed_version
  const shown = versions.data?.data.find((version) => version.id === (chosen ?? deployed?.id))
  const actions = (
    <>
      {back}
      {agent && can_edit && <AgentActions agent={agent} />}
    </>
  )
  return (
    <Page title={agent?.name ?? 'Agent'} description={agent?.description} actions={actions}>
      {error && <LoadError error={error} retry={refetch} noun="Agent" />}
      {!error && (
        <div className={styles.one}>
          <Stack>
            {agent?.has_unpublished_changes && (
              <Alert color="gray" title="Unpublished changes">
                The draft differs from all versions. Publish it to use it.
              </Alert>
            )}
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
          </Stack>
          <Stack>
            <Card title="Versions">
              {versions.error && <LoadError error={versions.error} retry={versions.refetch} />}
              {versions.isPending && <LoadingSkeleton lines={2} />}
              <ul className={styles.versions}>
                {versions.data?.data.map((version) => (
                  <li key={version.id}>
                    <button type="button" aria-pressed={version.id === shown?.id} onClick={() => setChosen(version.id)}>
                      <strong>{version.version_label}</strong>
                      {agent && <VersionBadge agent={agent} version={version} />}
                      <span className={styles.agentWhen}>
                        <RelativeTime time={version.created_at} />
                      </span>
                      {version.note && <span className={styles.note}>{version.note}</span>}
                    </button>
                  </li>
                ))}
              </ul>
              {agent && can_edit && shown && shown.id !== deployed?.id && (
                <DeployVersion agent={agent} version={shown} />
              )}
            </Card>
            <Deployments agent_id={id} />
          </Stack>
        </div>
      )}
    </Page>
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
