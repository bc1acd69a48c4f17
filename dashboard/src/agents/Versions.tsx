import { Button, UnstyledButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Agent, AgentVersion } from '../../../server/agents/schema.ts'
import { VersionRun } from '../agent-tests/VersionRun.tsx'
import { useApi } from '../kit/api.ts'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { Status } from '../kit/Status.tsx'
import { useCanEdit } from '../kit/session.ts'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import styles from './agents.module.css'
import { DeployDialog } from './DeployDialog.tsx'
import { Deployments } from './Deployments.tsx'
import { VersionDrawer } from './VersionDrawer.tsx'
import { authorName, versionsQuery } from './versions.ts'

export function Versions({ agent }: { agent: Agent }) {
  const [shown, setShown] = useState<AgentVersion>()
  const [deployed, setDeployed] = useState<AgentVersion>()
  const can_edit = useCanEdit()
  const { data, error, isPending, refetch } = useQuery(versionsQuery(useApi(), agent.id))
  const versions = data?.data ?? []
  return (
    <>
      {error && !data && <LoadError error={error} retry={refetch} />}
      {isPending && <LoadingSkeleton lines={2} />}
      <ul className={styles.versions} aria-label="Versions">
        {versions.map((version) => (
          <li key={version.id}>
            <div className={styles.version}>
              <UnstyledButton className={styles.versionText} onClick={() => setShown(version)}>
                <span className={styles.versionHead}>
                  <strong>{version.version_label}</strong>
                  <VersionStatus agent={agent} version={version} />
                </span>
                <span className={styles.hint}>
                  {authorName(version.created_by)} · <RelativeTime time={version.created_at} />
                </span>
                {version.note && <span className={styles.note}>{version.note}</span>}
              </UnstyledButton>
              <VersionRun agent_id={agent.id} version_id={version.id} />
            </div>
            {can_edit && version.id !== agent.deployed_version.id && (
              <Button
                variant="default"
                size="compact-xs"
                aria-label={`Deploy ${version.version_label}…`}
                onClick={() => setDeployed(version)}
              >
                Deploy…
              </Button>
            )}
          </li>
        ))}
      </ul>
      <Deployments agent_id={agent.id} />
      <VersionDrawer agent={agent} version={shown} versions={versions} onClose={() => setShown(undefined)} />
      {deployed && <DeployDialog agent={agent} version={deployed} is_open onClose={() => setDeployed(undefined)} />}
    </>
  )
}

function VersionStatus({ agent, version }: { agent: Agent; version: AgentVersion }) {
  const { deployed_version, candidate } = agent
  if (version.id === deployed_version.id) {
    return agent.can_answer ? <Status tone="success">Live</Status> : <Status tone="danger">Live, can’t answer</Status>
  }
  if (version.id === candidate?.version.id) return <Status tone="warning">Live for {candidate.percent} %</Status>
  return null
}
