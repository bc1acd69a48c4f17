import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useApi } from '../kit/api.ts'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import styles from './agent-tests.module.css'
import { RunStatus } from './RunStatus.tsx'
import { runsQuery } from './test.ts'

/** Shows how the last tests of a version went, or nothing if none of the latest runs tested it. */
export function VersionRun({ agent_id, version_id }: { agent_id: string; version_id: string }) {
  const api = useApi()
  const { data } = useQuery(runsQuery(api, agent_id))
  const run = data?.find(({ kind, agent_version }) => kind === 'tests' && agent_version.id === version_id)
  if (!run) return null
  return (
    <Link
      className={styles.versionRun}
      to="/w/$workspace/agents/$id/runs/$run_id"
      params={{ workspace: api.workspace, id: agent_id, run_id: run.id }}
    >
      Tests: <RunStatus run={run} /> <RelativeTime time={run.created_at} />
    </Link>
  )
}
