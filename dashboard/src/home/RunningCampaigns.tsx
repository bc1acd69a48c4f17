import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Campaign } from '../../../server/campaigns/schema.ts'
import { countDone, StatusBar } from '../campaigns/StatusBar.tsx'
import { useApi } from '../kit/api.ts'
import { formatNumber } from '../kit/format.ts'
import styles from './home.module.css'
import { homeKey, refetch_ms } from './queries.ts'

const shown_max = 5

export function RunningCampaigns() {
  const api = useApi()
  const { data } = useQuery({
    queryKey: [...homeKey(api), 'campaigns', 'running'],
    queryFn: ({ signal }) => api.list<Campaign>('/campaigns', { status: 'running', limit: shown_max }, signal),
    refetchInterval: refetch_ms,
  })
  if (!data || data.data.length === 0) return null
  return (
    <section aria-label="Running campaigns">
      <h2 className={styles.heading}>Running campaigns</h2>
      <ul className={styles.list}>
        {data.data.map(({ id, name, counts: { enrolled: total, by_status } }) => (
          <li key={id} className={styles.campaign}>
            <Link to="/w/$workspace/campaigns/$id" params={{ workspace: api.workspace, id }}>
              {name}
            </Link>
            <StatusBar total={total} by_status={by_status} />
            <span className={styles.quiet}>
              {formatNumber(countDone({ total, by_status }))} of {formatNumber(total)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
