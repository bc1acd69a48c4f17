import { Badge, SegmentedControl } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { InboxRequest, Webhook } from '../../../server/webhooks/schema.ts'
import { useApi } from '../kit/api.ts'
import { Code, laidOut } from '../kit/CodeBlock.tsx'
import { Opening } from '../kit/Disclosure.tsx'
import { AlertIcon, CheckIcon, WebhookIcon } from '../kit/icons.tsx'
import { Card } from '../kit/Page.tsx'
import { Ago } from '../kit/RelativeTime.tsx'
import { Empty, Failure, Waiting } from '../kit/states.tsx'
import { tellProblem } from '../kit/toast.ts'
import { look_again_ms, webhookQuery } from './webhook.ts'
import styles from './webhooks.module.css'

const answers = [
  { value: '200', label: '200' },
  { value: '500', label: '500' },
  { value: '410', label: '410' },
  { value: 'hang', label: 'Timeout' },
]

/** What came to the built-in endpoint, and what it is told to answer. */
export function Inbox({ webhook }: { webhook: Webhook }) {
  const api = useApi()
  const client = useQueryClient()
  const { queryKey } = webhookQuery(api, webhook.id)
  const { data, error, refetch } = useQuery({
    queryKey: [...queryKey, 'inbox'],
    queryFn: ({ signal }) => api.list<InboxRequest>(`/webhooks/${webhook.id}/inbox`, { limit: 50 }, signal),
    refetchInterval: look_again_ms,
  })
  const telling = useMutation({
    mutationFn: (inbox_answer: string) => api.send<Webhook>('PATCH', `/webhooks/${webhook.id}`, { inbox_answer }),
    onError: tellProblem,
    onSuccess: (changed) => client.setQueryData(queryKey, changed),
  })
  return (
    <Card title="Inbox" is_flush>
      <div className={styles.which}>
        <span className={styles.label} id="inbox-answer">
          Responds with
        </span>
        <SegmentedControl
          aria-labelledby="inbox-answer"
          data={answers}
          value={telling.isPending ? telling.variables : (webhook.inbox_answer ?? '200')}
          onChange={(answer) => telling.mutate(answer)}
        />
      </div>
      {error && <Failure error={error} retry={refetch} />}
      {!data && !error && (
        <div className={styles.waiting}>
          <Waiting lines={2} />
        </div>
      )}
      {data?.data.length === 0 && (
        <Empty icon={<WebhookIcon size={24} />} title="No requests yet">
          Send a test event to see it here.
        </Empty>
      )}
      <ol className={styles.requests} aria-label="Inbox requests">
        {data?.data.map((request) => (
          <li key={request.id}>
            <Opening head={<Head {...request} />}>
              <Steps {...request} />
              <Code label="Request content" text={sayRequest(request)} />
            </Opening>
          </li>
        ))}
      </ol>
    </Card>
  )
}

const isGenuine = ({ steps }: Pick<InboxRequest, 'steps'>): boolean => steps.every(({ is_ok }) => is_ok)

function Head({ body, answered, steps, created_at }: InboxRequest) {
  const is_genuine = isGenuine({ steps })
  return (
    <>
      <code className={styles.type}>{/"type":"([^"]+)"/.exec(body)?.[1] ?? 'Request'}</code>
      <Badge variant="light" color={is_genuine ? 'teal' : 'red'} tt="none" fw={600}>
        {is_genuine ? 'Valid signature' : 'Invalid signature'}
      </Badge>
      <span className={styles.hint}>{answered === 'hang' ? 'No response' : `Responded ${answered}`}</span>
      <span className={styles.when}>
        <Ago time={created_at} />
      </span>
    </>
  )
}

const step_names: Record<string, string> = {
  headers: 'Required headers are present',
  timestamp: 'Timestamp is recent',
  content: 'Signed content',
  expected: 'Expected signature',
  signature: 'Signature matches',
}

const Steps = ({ steps }: Pick<InboxRequest, 'steps'>) => (
  <ol className={styles.steps} aria-label="Signature check">
    {steps.map(({ name, is_ok, detail }) => (
      <li key={name} data-ok={is_ok}>
        <span className={styles.mark}>{is_ok ? <CheckIcon size={16} /> : <AlertIcon size={16} />}</span>
        <div>
          <strong>{step_names[name] ?? name}</strong>
          <span className={styles.unseen}>{is_ok ? ': passed' : ': failed'}</span>
          <p>{detail}</p>
        </div>
      </li>
    ))}
  </ol>
)

const sayRequest = ({ headers, body }: InboxRequest): string =>
  `${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')}\n\n${laidOut(body)}`
