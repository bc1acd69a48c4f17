import { useQuery } from '@tanstack/react-query'
import type { CampaignAnalytics } from '../../../server/analytics/schema.ts'
import type { Forecast } from '../../../server/campaigns/forecast-schema.ts'
import type { Campaign } from '../../../server/campaigns/schema.ts'
import { useApi } from '../kit/api.ts'
import { Chart } from '../kit/Chart.tsx'
import { formatCount, formatNumber } from '../kit/format.ts'
import { useNow } from '../kit/now.ts'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { answeredName, campaignsKey, isFinal } from './campaign.ts'
import styles from './campaigns.module.css'
import { sum, useClosedHours } from './ForecastChart.tsx'

const hour_ms = 3_600_000
const day_ms = 24 * hour_ms
/** For up to this many days, the chart has a bar for each hour. */
const days_by_hour = 6
const days_max = 399
const refetch_ms = 10_000

interface AttemptsChartProps {
  campaign: Campaign
  forecast: Forecast | undefined
}

/** Shows the attempts so far, and those of the forecast from now on. */
export function AttemptsChart({ campaign, forecast }: AttemptsChartProps) {
  const api = useApi()
  const now = useNow()
  const begin = Math.max(Date.parse(campaign.created_at), now - days_max * day_ms)
  const end = Math.max(now, Date.parse(forecast?.timeline.at(-1)?.at ?? '') || 0)
  const interval = end - begin <= days_by_hour * day_ms ? 'hour' : 'day'
  const query = { interval, from: new Date(begin).toISOString(), group_by: 'campaign_id' }
  const { data, error, refetch } = useQuery({
    queryKey: [...campaignsKey(api), 'analytics', campaign.id, interval],
    queryFn: ({ signal }) => api.get<CampaignAnalytics>('/analytics/campaigns', query, signal),
    refetchInterval: isFinal(campaign) ? false : refetch_ms,
    placeholderData: (known) => known,
  })
  const interval_ms = interval === 'hour' ? hour_ms : day_ms
  const rows = data?.rows.filter(({ group }) => group.campaign_id === campaign.id) ?? []
  const ahead = forecast?.timeline.filter(({ starts }) => starts > 0) ?? []
  const first = Math.min(...rows.map(({ start }) => Date.parse(start)), ...ahead.map(({ at }) => Date.parse(at)))
  const origin = rows.length > 0 ? first : Math.floor(first / interval_ms) * interval_ms
  const until = Math.max(end, ...rows.map(({ start }) => Date.parse(start)))
  const count = Number.isFinite(origin) ? Math.floor((until - origin) / interval_ms) + 1 : 0
  const shaded = useClosedHours(campaign, [origin, interval === 'hour' ? origin + count * hour_ms : Infinity])
  if (!data) return error ? <LoadError error={error} retry={refetch} /> : <LoadingSkeleton lines={5} />
  if (count === 0) return <p className={styles.hint}>No attempts yet.</p>
  // A day in which clocks change has 23 or 25 hours.
  const indexOf = (time: string) => Math.min(count - 1, Math.round((Date.parse(time) - origin) / interval_ms))
  const [attempts, reached, expected] = [0, 0, 0].map(() => Array<number>(count).fill(0)) as [
    number[],
    number[],
    number[],
  ]
  for (const { start, ...row } of rows) {
    add(attempts, indexOf(start), row.attempts)
    add(reached, indexOf(start), row.reached)
  }
  for (const { at, starts } of ahead) add(expected, Math.floor((Date.parse(at) - origin) / interval_ms), starts)
  const both = expected.map((starts, index) => starts + (attempts[index] ?? 0))
  const reached_name = answeredName(campaign)
  return (
    <Chart
      label={`${formatCount(sum(attempts), 'attempt')}, ${formatNumber(sum(reached))} ${reached_name.toLowerCase()}, ${formatNumber(sum(expected))} more expected`}
      times={Array.from({ length: count }, (_, index) => origin + index * interval_ms)}
      interval_ms={interval_ms}
      series={[
        ...(forecast ? [{ name: 'With forecast', color: 1 as const, values: both, is_faint: true }] : []),
        { name: 'Attempts', color: 1, values: attempts },
        // The line ends now, because the forecast doesn't say how many attempts are answered.
        {
          name: reached_name,
          color: 2,
          values: reached.slice(0, indexOf(new Date(now).toISOString()) + 1),
          is_line: true,
        },
      ]}
      shaded={shaded}
      {...(!isFinal(campaign) && { now })}
    />
  )
}

function add(counts: number[], index: number, count: number): void {
  counts[index] = (counts[index] ?? 0) + count
}
