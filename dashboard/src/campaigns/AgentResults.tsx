import { useQuery } from '@tanstack/react-query'
import type { Call } from '../../../server/calls/schema.ts'
import type { Campaign } from '../../../server/campaigns/schema.ts'
import { useApi } from '../kit/api.ts'
import { formatCount, formatNumber } from '../kit/format.ts'
import { Card } from '../kit/Page.tsx'
import { campaignsKey, isFinal } from './campaign.ts'
import styles from './campaigns.module.css'

const calls_max = 100
/** A sentence names values only if there are at most this many. */
const values_max = 4
const refetch_ms = 10_000

/** Shows what the agent has found out in the last calls that were answered. */
export function AgentResults({ campaign }: { campaign: Campaign }) {
  const api = useApi()
  const query = { campaign_id: campaign.id, outcome: 'answered', limit: calls_max }
  const { data } = useQuery({
    queryKey: [...campaignsKey(api), 'results', campaign.id],
    queryFn: ({ signal }) => api.list<Call>('/calls', query, signal),
    refetchInterval: isFinal(campaign) ? false : refetch_ms,
  })
  const results = countResults(data?.data ?? [])
  if (results.size === 0) return null
  return (
    <Card
      title="Agent results"
      aside={<span className={styles.hint}>Last {formatCount(data?.data.length ?? 0, 'answered call')}</span>}
    >
      <dl className={styles.settings}>
        {[...results].map(([name, counts]) => (
          <div key={name}>
            <dt>{name.replaceAll('_', ' ')}</dt>
            <dd>{describe(counts)}</dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}

function countResults(calls: Call[]): Map<string, Map<string, number>> {
  const results = new Map<string, Map<string, number>>()
  for (const [name, value] of calls.flatMap((call) => Object.entries(call.results))) {
    if (value === null) continue
    const counts = results.get(name) ?? new Map<string, number>()
    const text = describeValue(value)
    counts.set(text, (counts.get(text) ?? 0) + 1)
    results.set(name, counts)
  }
  return results
}

export function describeValue(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function describe(counts: Map<string, number>): string {
  if (counts.size > values_max) return `${formatNumber(counts.size)} different values`
  return [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([value, count]) => `${value} ${formatNumber(count)}`)
    .join(' · ')
}
