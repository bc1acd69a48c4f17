import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { CallAnalytics, ConversationAnalytics } from '../../../server/analytics/schema.ts'
import { useApi } from '../kit/api.ts'
import { formatNumber } from '../kit/format.ts'
import { useNow } from '../kit/now.ts'
import styles from './home.module.css'
import { homeKey, refetch_ms } from './queries.ts'
import { Sparkline } from './Sparkline.tsx'

const day_ms = 24 * 60 * 60 * 1000

/** The periods to choose from. The first interval contains the time that was `days` ago. */
export const periods = {
  '24h': { label: '24 h', interval: 'hour', days: 1 },
  '7d': { label: '7 d', interval: 'day', days: 6 },
  '30d': { label: '30 d', interval: 'day', days: 29 },
} as const
export type Period = keyof typeof periods

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 0 })

export function Tiles({ period }: { period: Period }) {
  const calls = useAnalytics<CallAnalytics>('calls', period)
  const conversations = useAnalytics<ConversationAnalytics>('conversations', period)
  return (
    <dl className={styles.tiles} aria-label="Figures">
      <Tile
        label="Calls"
        value={calls && formatNumber(calls.total.calls)}
        values={calls?.rows.map((row) => row.calls)}
      />
      <Tile
        label="Answer rate"
        value={calls && formatRate(calls.total.answer_rate.value)}
        values={calls?.rows.map(({ answer_rate }) => answer_rate.value)}
      />
      <Tile
        label="Conversations"
        value={conversations && formatNumber(conversations.total.conversations)}
        values={conversations?.rows.map((row) => row.conversations)}
      />
      <Tile
        label="Median first answer"
        value={conversations && formatMedian(conversations.total.first_answer_p50_ms)}
        values={conversations?.rows.map(({ first_answer_p50_ms }) => first_answer_p50_ms)}
      />
    </dl>
  )
}

function useAnalytics<Report>(noun: string, period: Period): Report | undefined {
  const api = useApi()
  const now = useNow()
  const { interval, days } = periods[period]
  const { data } = useQuery({
    queryKey: [...homeKey(api), 'analytics', noun, period],
    queryFn: ({ signal }) => {
      const from = new Date(now - days * day_ms).toISOString()
      return api.get<Report>(`/analytics/${noun}`, { from, interval }, signal)
    },
    refetchInterval: refetch_ms,
  })
  return data
}

interface TileProps {
  label: string
  value: string | undefined
  values: (number | null)[] | undefined
}

const Tile = ({ label, value, values }: TileProps) => (
  <div className={styles.tile}>
    <dt>{label}</dt>
    <dd>
      {value === undefined ? <Skeleton height={26} width={64} /> : value}
      {values && <Sparkline values={values} />}
    </dd>
  </div>
)

const formatRate = (share: number | null): string => (share === null ? '–' : percent.format(share))

function formatMedian(median_ms: number | null): string {
  if (median_ms === null) return '–'
  if (median_ms < 1_000) return `${median_ms} ms`
  if (median_ms < 60_000) return `${(median_ms / 1000).toFixed(1)} s`
  return `${formatNumber(Math.round(median_ms / 60_000))} min`
}
