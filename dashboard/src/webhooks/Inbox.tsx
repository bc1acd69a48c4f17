import { SegmentedControl } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { InboxRequest, Webhook } from '../../../server/webhooks/schema.ts'
import { useApi } from '../kit/api.ts'
import { CodeBlock } from '../kit/CodeBlock.tsx'
import { Drawer } from '../kit/Drawer.tsx'
import { formatJson } from '../kit/format.ts'
import { AlertIcon, CheckIcon, WebhookIcon } from '../kit/icons.tsx'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { Status } from '../kit/Status.tsx'
import { EmptyState, LoadError } from '../kit/states.tsx'
import { type Column, Table } from '../kit/Table.tsx'
import { showError } from '../kit/toast.ts'
import { refetch_ms, webhookQuery } from './webhook.ts'
import styles from './webhooks.module.css'

const responses = [
  { value: '200', label: '200' },
  { value: '500', label: '500' },
  { value: '410', label: '410' },
  { value: 'hang', label: 'Timeout' },
]

/** Chooses how the inbox responds from now on. */
export function InboxResponse({ webhook }: { webhook: Webhook }) {
  const api = useApi()
  const client = useQueryClient()
  const changing = useMutation({
    mutationFn: (inbox_answer: string) => api.send<Webhook>('PATCH', `/webhooks/${webhook.id}`, { inbox_answer }),
    onError: showError,
    onSuccess: (changed) => client.setQueryData(webhookQuery(api, webhook.id).queryKey, changed),
  })
  return (
    <div className={styles.inboxResponse}>
      <span id="inbox-answer">Responds with</span>
      <SegmentedControl
        size="xs"
        aria-labelledby="inbox-answer"
        data={responses}
        value={changing.isPending ? changing.variables : (webhook.inbox_answer ?? '200')}
        onChange={(answer) => changing.mutate(answer)}
      />
    </div>
  )
}

const route = '/w/$workspace/webhooks/$id/inbox'

/** Lists the requests that the inbox has received. The URL holds the open one. */
export function Inbox({ webhook: { id } }: { webhook: Webhook }) {
  const api = useApi()
  const navigate = useNavigate()
  const { request: open_id } = useSearch({ from: route })
  const { data, error, refetch } = useQuery({
    queryKey: [...webhookQuery(api, id).queryKey, 'inbox'],
    queryFn: ({ signal }) => api.list<InboxRequest>(`/webhooks/${id}/inbox`, { limit: 50 }, signal),
    refetchInterval: refetch_ms,
  })
  const close = () => void navigate({ to: route, params: { workspace: api.workspace, id }, resetScroll: false })
  if (error && !data) return <LoadError error={error} retry={refetch} />
  const open = data?.data.find((request) => request.id === open_id)
  return (
    <>
      <Table
        label="Inbox requests"
        columns={columns}
        rows={data?.data}
        getRowId={(request) => request.id}
        isHighlighted={(request) => request === open}
        empty={
          <EmptyState icon={<WebhookIcon size={24} />} title="No requests yet">
            Send a test event to see it here.
          </EmptyState>
        }
      />
      <Drawer is_open={open !== undefined} label="Request" title="Request" onClose={close}>
        {open && (
          <div className={styles.delivery}>
            <Steps {...open} />
            <CodeBlock label="Request content" text={formatRequest(open)} />
          </div>
        )}
      </Drawer>
    </>
  )
}

const columns: Column<InboxRequest>[] = [
  { id: 'type', name: 'Event', cell: (request) => <RequestLink {...request} /> },
  { id: 'signature', name: 'Signature', width: '132px', cell: (request) => <SignatureStatus {...request} /> },
  {
    id: 'response',
    name: 'Response',
    is_hidden_on_phone: true,
    cell: ({ answered }) => (answered === 'hang' ? 'No response' : answered),
  },
  { id: 'created_at', name: 'Received', width: '112px', cell: (row) => <RelativeTime time={row.created_at} /> },
]

function RequestLink({ id, body }: InboxRequest) {
  const params = useParams({ from: route })
  return (
    <Link className={styles.type} to={route} params={params} search={{ request: id }} resetScroll={false}>
      {/"type":"([^"]+)"/.exec(body)?.[1] ?? 'Request'}
    </Link>
  )
}

function SignatureStatus({ steps }: Pick<InboxRequest, 'steps'>) {
  const is_valid = steps.every(({ is_ok }) => is_ok)
  return <Status tone={is_valid ? 'success' : 'danger'}>{is_valid ? 'Valid signature' : 'Invalid signature'}</Status>
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
