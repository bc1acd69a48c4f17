import { SegmentedControl } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { InboxRequest, Webhook } from '../../../server/webhooks/schema.ts'
import { useApi } from '../kit/api.ts'
import { CodeBlock } from '../kit/CodeBlock.tsx'
import { Disclosure } from '../kit/Disclosure.tsx'
import { formatJson } from '../kit/format.ts'
import { AlertIcon, CheckIcon, WebhookIcon } from '../kit/icons.tsx'
import { Card } from '../kit/Page.tsx'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { Status } from '../kit/Status.tsx'
import { EmptyState, LoadError, LoadingSkeleton } from '../kit/states.tsx'
import { showError } from '../kit/toast.ts'
import { refetch_ms, webhookQuery } from './webhook.ts'
import styles from './webhooks.module.css'

const responses = [
  { value: '200', label: '200' },
  { value: '500', label: '500' },
  { value: '410', label: '410' },
  { value: 'hang', label: 'Timeout' },
]

export function Inbox({ webhook }: { webhook: Webhook }) {
  const api = useApi()
  const client = useQueryClient()
  const { queryKey } = webhookQuery(api, webhook.id)
  const { data, error, refetch } = useQuery({
    queryKey: [...queryKey, 'inbox'],
    queryFn: ({ signal }) => api.list<InboxRequest>(`/webhooks/${webhook.id}/inbox`, { limit: 50 }, signal),
    refetchInterval: refetch_ms,
  })
  const changing = useMutation({
    mutationFn: (inbox_answer: string) => api.send<Webhook>('PATCH', `/webhooks/${webhook.id}`, { inbox_answer }),
    onError: showError,
    onSuccess: (changed) => client.setQueryData(queryKey, changed),
  })
  return (
    <Card title="Inbox" is_flush>
      <div className={styles.filter}>
        <span className={styles.label} id="inbox-answer">
          Responds with
        </span>
        <SegmentedControl
          aria-labelledby="inbox-answer"
          data={responses}
          value={changing.isPending ? changing.variables : (webhook.inbox_answer ?? '200')}
          onChange={(answer) => changing.mutate(answer)}
        />
      </div>
      {error && <LoadError error={error} retry={refetch} />}
      {!data && !error && (
        <div className={styles.waiting}>
          <LoadingSkeleton lines={2} />
        </div>
      )}
      {data?.data.length === 0 && (
        <EmptyState icon={<WebhookIcon size={24} />} title="No requests yet">
          Send a test event to see it here.
        </EmptyState>
      )}
      <ol className={styles.requests} aria-label="Inbox requests">
        {data?.data.map((request) => (
          <li key={request.id}>
            <Disclosure summary={<RequestSummary {...request} />}>
              <Steps {...request} />
              <CodeBlock label="Request content" text={formatRequest(request)} />
            </Disclosure>
          </li>
        ))}
      </ol>
    </Card>
  )
}

const isSignatureValid = ({ steps }: Pick<InboxRequest, 'steps'>): boolean => steps.every(({ is_ok }) => is_ok)

function RequestSummary({ body, answered, steps, created_at }: InboxRequest) {
  const is_valid = isSignatureValid({ steps })
  return (
    <>
      <code className={styles.type}>{/"type":"([^"]+)"/.exec(body)?.[1] ?? 'Request'}</code>
      <Status tone={is_valid ? 'success' : 'danger'}>{is_valid ? 'Valid signature' : 'Invalid signature'}</Status>
      <span className={styles.hint}>{answered === 'hang' ? 'No response' : `Responded ${answered}`}</span>
      <span className={styles.when}>
        <RelativeTime time={created_at} />
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
          <span className={styles.visuallyHidden}>{is_ok ? ': passed' : ': failed'}</span>
          <p>{detail}</p>
        </div>
      </li>
    ))}
  </ol>
)

const formatRequest = ({ headers, body }: InboxRequest): string =>
  `${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')}\n\n${formatJson(body)}`
