import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Attempt, DeliveryWithAttempts, Webhook } from '../../../server/webhooks/schema.ts'
import { useApi } from '../kit/api.ts'
import { CodeBlock } from '../kit/CodeBlock.tsx'
import { Drawer } from '../kit/Drawer.tsx'
import { formatJson, formatNumber, formatTime } from '../kit/format.ts'
import { RotateIcon } from '../kit/icons.tsx'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { useIsTest } from '../kit/session.ts'
import { LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { showError, showToast } from '../kit/toast.ts'
import { DeliveryStatusBadge } from './DeliveryStatusBadge.tsx'
import { describeAttempt, isOk, refetch_ms } from './webhook.ts'
import styles from './webhooks.module.css'

interface DeliveryDrawerProps {
  webhook: Webhook
  id: string | undefined
  onClose: () => void
}

export function DeliveryDrawer({ webhook, id, onClose }: DeliveryDrawerProps) {
  return (
    <Drawer is_open={id !== undefined} label="Delivery" title="Delivery" onClose={onClose}>
      {id && <DeliveryDetails key={id} webhook={webhook} id={id} />}
    </Drawer>
  )
}

function DeliveryDetails({ webhook, id }: { webhook: Webhook; id: string }) {
  const api = useApi()
  const client = useQueryClient()
  const is_test = useIsTest()
  const path = `/webhooks/${webhook.id}/deliveries/${id}`
  const [chosen, setChosen] = useState<string>()
  const { data, error, refetch } = useQuery({
    queryKey: [api.workspace, 'webhooks', webhook.id, 'delivery', id],
    queryFn: ({ signal }) => api.get<DeliveryWithAttempts>(path, {}, signal),
    refetchInterval: refetch_ms,
  })
  const resending = useMutation({
    mutationFn: () => api.send('POST', `${path}/resend`),
    onError: showError,
    onSuccess: async () => {
      showToast('Resent.')
      await client.invalidateQueries({ queryKey: [api.workspace, 'webhooks', webhook.id] })
    },
  })
  if (error && !data) return <LoadError error={error} retry={refetch} noun="Delivery" />
  if (!data) return <LoadingSkeleton />
  const attempts = data.attempts.toReversed()
  const shown = attempts.find(({ created_at }) => created_at === chosen) ?? attempts[0]
  return (
    <div className={styles.delivery}>
      <div className={styles.head}>
        <code>{data.type}</code>
        <DeliveryStatusBadge {...data} />
        {data.status === 'pending' && (
          <span className={styles.hint}>
            Next attempt <RelativeTime time={data.due_at} never="now" />
          </span>
        )}
        <Button
          variant="default"
          size="xs"
          ml="auto"
          leftSection={<RotateIcon size={15} />}
          disabled={webhook.status === 'disabled'}
          loading={resending.isPending}
          onClick={() => resending.mutate()}
        >
          Resend
        </Button>
      </div>
      {attempts.length > 0 && (
        <ul className={styles.attempts} aria-label="Attempts">
          {attempts.map((attempt) => (
            <li key={attempt.created_at}>
              <button
                type="button"
                aria-pressed={attempt === shown}
                data-ok={isOk(attempt)}
                onClick={() => setChosen(attempt.created_at)}
              >
                <strong>{attempt.status ?? 'No response'}</strong>
                <RelativeTime time={attempt.created_at} />
              </button>
            </li>
          ))}
        </ul>
      )}
      <section aria-label="Response">
        <h3 className={styles.part}>
          Response
          {shown && <span className={styles.hint}>{formatTiming(shown)}</span>}
        </h3>
        {shown && shown.status !== null && !isOk(shown) && <p className={styles.reason}>{describeAttempt(shown)}</p>}
        <CodeBlock label="Response content" text={shown ? formatResponse(shown) : 'Not sent yet.'} />
      </section>
      <section aria-label="Request">
        <h3 className={styles.part}>Request</h3>
        <CodeBlock label="Request content" text={formatRequest(webhook, data, shown, is_test)} />
      </section>
    </div>
  )
}

const formatTiming = ({ created_at, duration_ms }: Attempt): string =>
  `${formatTime(created_at)} · ${formatNumber(duration_ms)} ms`

function formatRequest(
  { url }: Webhook,
  { id, body }: DeliveryWithAttempts,
  attempt: Attempt | undefined,
  is_test: boolean,
): string {
  // The real time is sent, but in a test workspace the attempt has only the time of the clock.
  const seconds = attempt && !is_test ? [`webhook-timestamp: ${Math.floor(Date.parse(attempt.created_at) / 1000)}`] : []
  const head = [`POST ${attempt?.url ?? url}`, 'content-type: application/json', `webhook-id: ${id}`, ...seconds]
  return `${head.join('\n')}\n\n${formatJson(body)}`
}

function formatResponse({ status, error, answer }: Attempt): string {
  if (status === null) return error ?? 'No response.'
  return `HTTP ${status}\n\n${answer === null ? '(not stored)' : formatJson(answer)}`
}
