import { Button, Modal } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Attempt, DeliveryWithAttempts, Webhook } from '../../../server/webhooks/schema.ts'
import { useApi } from '../kit/api.ts'
import { Code, laidOut } from '../kit/CodeBlock.tsx'
import { RotateIcon } from '../kit/icons.tsx'
import { Ago, sayNumber, sayTime } from '../kit/RelativeTime.tsx'
import { Failure, Waiting } from '../kit/states.tsx'
import { tell, tellProblem } from '../kit/toast.ts'
import { DeliveryStatusBadge } from './DeliveryStatusBadge.tsx'
import { look_again_ms } from './webhook.ts'
import styles from './webhooks.module.css'

interface OneDeliveryProps {
  webhook: Webhook
  id: string | undefined
  onClose: () => void
}

export function OneDelivery({ webhook, id, onClose }: OneDeliveryProps) {
  return (
    <Modal
      opened={id !== undefined}
      onClose={onClose}
      title="Delivery"
      size={980}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {id && <Opened key={id} webhook={webhook} id={id} />}
    </Modal>
  )
}

/** Its attempts, and of one of them what was sent beside what was answered. */
function Opened({ webhook, id }: { webhook: Webhook; id: string }) {
  const api = useApi()
  const client = useQueryClient()
  const address = `/webhooks/${webhook.id}/deliveries/${id}`
  const [chosen, setChosen] = useState<string>()
  const { data, error, refetch } = useQuery({
    queryKey: [api.workspace, 'webhooks', webhook.id, 'delivery', id],
    queryFn: ({ signal }) => api.get<DeliveryWithAttempts>(address, {}, signal),
    refetchInterval: look_again_ms,
  })
  const resending = useMutation({
    mutationFn: () => api.send('POST', `${address}/resend`),
    onError: tellProblem,
    onSuccess: async () => {
      tell('Resent.')
      await client.invalidateQueries({ queryKey: [api.workspace, 'webhooks', webhook.id] })
    },
  })
  if (error) return <Failure error={error} retry={refetch} noun="Delivery" />
  if (!data) return <Waiting />
  const attempts = data.attempts.toReversed()
  const shown = attempts.find(({ created_at }) => created_at === chosen) ?? attempts[0]
  return (
    <div className={styles.delivery}>
      <div className={styles.head}>
        <code>{data.type}</code>
        <DeliveryStatusBadge {...data} />
        {data.status === 'pending' && (
          <span className={styles.hint}>
            Next attempt <Ago time={data.due_at} never="now" />
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
                <Ago time={attempt.created_at} />
              </button>
            </li>
          ))}
        </ul>
      )}
      <div className={styles.sides}>
        <section aria-label="Request">
          <h3 className={styles.part}>Request</h3>
          <Code label="Request content" text={requestOf(webhook, data, shown)} />
        </section>
        <section aria-label="Response">
          <h3 className={styles.part}>
            Response
            {shown && <span className={styles.hint}>{sayTook(shown)}</span>}
          </h3>
          <Code label="Response content" text={shown ? answerOf(shown) : 'Not sent yet.'} />
        </section>
      </div>
    </div>
  )
}

const isOk = ({ status }: Attempt): boolean => status !== null && status >= 200 && status < 300

const sayTook = ({ created_at, duration_ms }: Attempt): string =>
  `${sayTime(created_at)} · ${sayNumber(duration_ms)} ms`

function requestOf({ url }: Webhook, { id, body }: DeliveryWithAttempts, attempt: Attempt | undefined): string {
  const seconds = attempt ? [`webhook-timestamp: ${Math.floor(Date.parse(attempt.created_at) / 1000)}`] : []
  const head = [`POST ${attempt?.url ?? url}`, 'content-type: application/json', `webhook-id: ${id}`, ...seconds]
  return `${head.join('\n')}\n\n${laidOut(body)}`
}

function answerOf({ status, error, answer }: Attempt): string {
  if (status === null) return error ?? 'No response.'
  return `HTTP ${status}\n\n${answer === null ? '(not stored)' : laidOut(answer)}`
}
