import { useQuery } from '@tanstack/react-query'
import type { DeliveryCounts, Webhook } from '../../../server/webhooks/schema.ts'
import { useApi } from '../kit/api.ts'
import { formatNumber, formatTime } from '../kit/format.ts'
import { Status } from '../kit/Status.tsx'
import styles from './webhooks.module.css'

const refetch_ms = 10_000
const height = 28
const step = 10
const gap = 2
const kinds = ['failed', 'pending', 'succeeded'] as const

/** Shows what became of the deliveries of each of the last 24 hours. */
export function DeliveryStrip({ webhook: { id } }: { webhook: Webhook }) {
  const api = useApi()
  const { data } = useQuery({
    queryKey: [api.workspace, 'webhooks', id, 'delivery_counts'],
    queryFn: ({ signal }) => api.get<DeliveryCounts>(`/webhooks/${id}/delivery_counts`, {}, signal),
    refetchInterval: refetch_ms,
  })
  const hours = data?.hours ?? []
  const [succeeded, pending, failed] = [sum(hours, 'succeeded'), sum(hours, 'pending'), sum(hours, 'failed')]
  const most = Math.max(1, ...hours.map((hour) => hour.succeeded + hour.pending + hour.failed))
  return (
    <section className={styles.strip} aria-label="Last 24 hours">
      <div className={styles.stripHead}>
        <h2>Last 24 hours</h2>
        {data && (
          <>
            <Status tone="success">{formatNumber(succeeded)} delivered</Status>
            {pending > 0 && <Status tone="warning">{formatNumber(pending)} pending</Status>}
            <Status tone={failed > 0 ? 'danger' : 'neutral'}>{formatNumber(failed)} failed</Status>
            {!data.is_complete && <span>Latest 10,000 only</span>}
          </>
        )}
      </div>
      <svg viewBox={`0 0 ${24 * step - gap} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        {hours.map((hour, index) => {
          let y = height
          return (
            <g key={hour.start}>
              <title>{describeHour(hour)}</title>
              <rect className={styles.ground} x={index * step} width={step - gap} height={height} />
              {kinds.map((kind) => {
                const part = (hour[kind] / most) * height
                // A bar has a smallest height, because a single failure among thousands must still be seen.
                const tall = hour[kind] === 0 ? 0 : Math.max(3, part)
                y -= tall
                return (
                  tall > 0 && (
                    <rect
                      key={kind}
                      data-kind={kind}
                      x={index * step}
                      y={Math.max(0, y)}
                      width={step - gap}
                      height={tall}
                    />
                  )
                )
              })}
            </g>
          )
        })}
      </svg>
    </section>
  )
}

type Hour = DeliveryCounts['hours'][number]

const sum = (hours: Hour[], kind: (typeof kinds)[number]): number => hours.reduce((all, hour) => all + hour[kind], 0)

const describeHour = ({ start, succeeded, pending, failed }: Hour): string =>
  `${formatTime(start)}: ${succeeded} delivered, ${pending} pending, ${failed} failed`
