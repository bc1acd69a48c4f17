import { useQuery } from '@tanstack/react-query'
import type { Deployment } from '../../../server/agents/schema.ts'
import { useApi } from '../kit/api.ts'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import styles from './agents.module.css'
import { authorName } from './versions.ts'

/** Only this many deployments, the newest, are shown. */
const shown_max = 10

export function Deployments({ agent_id }: { agent_id: string }) {
  const api = useApi()
  const { data, error, isPending, refetch } = useQuery({
    queryKey: [api.workspace, 'agents', agent_id, 'deployments'],
    queryFn: ({ signal }) => api.list<Deployment>(`/agents/${agent_id}/deployments`, { limit: shown_max }, signal),
  })
  return (
    <section aria-label="Deployments">
      <h2 className={styles.partTitle}>Deployments</h2>
      {error && !data && <LoadError error={error} retry={refetch} />}
      {isPending && <LoadingSkeleton lines={2} />}
      <ul className={styles.deployments}>
        {data?.data.map(({ id, version, percent, is_forced, created_at, created_by }) => (
          <li key={id}>
            <strong>{version.version_label}</strong>
            {percent < 100 && <span>{percent} %</span>}
            {is_forced && <span title="Deployed without passing tests">Forced</span>}
            <span className={styles.hint}>
              {authorName(created_by)} · <RelativeTime time={created_at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
