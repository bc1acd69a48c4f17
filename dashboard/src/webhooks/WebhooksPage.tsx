import { Button } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Webhook } from '../../../server/webhooks/schema.ts'
import { useApi, useWorkspaceId } from '../kit/api.ts'
import { PlusIcon, WebhookIcon } from '../kit/icons.tsx'
import { Page } from '../kit/Page.tsx'
import { pagesQuery } from '../kit/pages.ts'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { EmptyState, LoadError } from '../kit/states.tsx'
import { type Column, Table } from '../kit/Table.tsx'
import { type WebhookDialog, WebhookDialogs } from './WebhookDialogs.tsx'
import { WebhookStatusBadge } from './WebhookStatusBadge.tsx'
import { describeEvents, disabled_reasons, failureQuery, webhookName } from './webhook.ts'
import styles from './webhooks.module.css'

export function WebhooksPage() {
  const api = useApi()
  const [dialog, setDialog] = useState<WebhookDialog>()
  const webhooks = useInfiniteQuery(
    pagesQuery<Webhook>(api, [api.workspace, 'webhooks', 'list'], '/webhooks', { limit: 50 }),
  )
  const create = (
    <Button data-shortcut="c" leftSection={<PlusIcon size={17} />} onClick={() => setDialog({ kind: 'create' })}>
      New webhook
    </Button>
  )
  return (
    <Page title="Webhooks" actions={create}>
      {webhooks.error && !webhooks.data ? (
        <LoadError error={webhooks.error} retry={webhooks.refetch} />
      ) : (
        <Table
          label="Webhooks"
          columns={columns}
          rows={webhooks.data?.pages.flatMap(({ data }) => data)}
          getRowId={({ id }) => id}
          empty={
            <EmptyState icon={<WebhookIcon size={24} />} title="No webhooks yet">
              Add your server’s URL, or test with the built-in inbox.
            </EmptyState>
          }
        />
      )}
      {webhooks.hasNextPage && (
        <Button variant="default" mt="md" onClick={() => void webhooks.fetchNextPage()}>
          Show more webhooks
        </Button>
      )}
      <WebhookDialogs dialog={dialog} onChange={setDialog} />
    </Page>
  )
}

const columns: Column<Webhook>[] = [
  { id: 'name', name: 'Webhook', width: 'minmax(0, 1.2fr)', cell: (row) => <NameLink webhook={row} /> },
  { id: 'status', name: 'Status', width: 'minmax(96px, 0.8fr)', cell: (row) => <StatusCell webhook={row} /> },
  {
    id: 'reason',
    name: 'Reason',
    width: 'minmax(0, 2fr)',
    is_hidden_on_phone: true,
    cell: (row) => <Reason webhook={row} />,
  },
  {
    id: 'url',
    name: 'URL',
    width: 'minmax(0, 1.2fr)',
    is_hidden_on_phone: true,
    // The URL is the name already if there is no description.
    cell: ({ url, inbox_answer, description }) =>
      description !== null && (inbox_answer === null ? <span title={url}>{url}</span> : 'Built-in inbox'),
  },
  {
    id: 'events',
    name: 'Events',
    width: 'minmax(0, 0.8fr)',
    is_hidden_on_phone: true,
    cell: describeEvents,
  },
  {
    id: 'created_at',
    name: 'Created',
    width: '104px',
    is_hidden_on_phone: true,
    cell: (row) => <RelativeTime time={row.created_at} />,
  },
]

function NameLink({ webhook }: { webhook: Webhook }) {
  const workspace = useWorkspaceId()
  return (
    <Link to="/w/$workspace/webhooks/$id" params={{ workspace, id: webhook.id }}>
      {webhookName(webhook)}
    </Link>
  )
}

const StatusCell = ({ webhook }: { webhook: Webhook }) => (
  <>
    <WebhookStatusBadge {...webhook} />
    <span className={styles.reasonOnPhone}>
      <Reason webhook={webhook} />
    </span>
  </>
)

/** Shows why the webhook fails or is disabled. */
function Reason({ webhook }: { webhook: Webhook }) {
  const { status, disabled_reason, failing_since } = webhook
  const is_failing = status === 'active' && failing_since !== null
  const { data } = useQuery({ ...failureQuery(useApi(), webhook), enabled: is_failing })
  if (is_failing)
    return (
      <span className={styles.response} data-ok="false" title={data ?? undefined}>
        {data}
      </span>
    )
  return disabled_reason && disabled_reasons[disabled_reason]
}
