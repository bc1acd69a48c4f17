import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Webhook } from '../../../server/webhooks/schema.ts'
import { useApi, useWorkspaceId } from '../kit/api.ts'
import { PlusIcon, WebhookIcon } from '../kit/icons.tsx'
import { Page } from '../kit/Page.tsx'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { EmptyState, LoadError } from '../kit/states.tsx'
import { type Column, Table } from '../kit/Table.tsx'
import { type WebhookDialog, WebhookDialogs } from './WebhookDialogs.tsx'
import { WebhookStatusBadge } from './WebhookStatusBadge.tsx'
import { webhookName } from './webhook.ts'
import styles from './webhooks.module.css'

export function WebhooksPage() {
  const api = useApi()
  const [dialog, setDialog] = useState<WebhookDialog>()
  const webhooks = useInfiniteQuery({
    queryKey: [api.workspace, 'webhooks', 'list'],
    queryFn: ({ pageParam, signal }) => api.list<Webhook>('/webhooks', { limit: 50, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.next_cursor ?? undefined,
  })
  const create = (
    <Button leftSection={<PlusIcon size={17} />} onClick={() => setDialog({ kind: 'create' })}>
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
  { id: 'name', name: 'Webhook', cell: (row) => <NameLink webhook={row} /> },
  { id: 'status', name: 'Status', cell: (row) => <WebhookStatusBadge {...row} /> },
  {
    id: 'events',
    name: 'Events',
    is_hidden_on_phone: true,
    cell: (row) => row.events.join(', '),
  },
  {
    id: 'created_at',
    name: 'Created',
    is_hidden_on_phone: true,
    cell: (row) => <RelativeTime time={row.created_at} />,
  },
]

function NameLink({ webhook }: { webhook: Webhook }) {
  const workspace = useWorkspaceId()
  const name = webhookName(webhook)
  const target = webhook.inbox_answer === null ? webhook.url : 'Built-in inbox'
  return (
    <div className={styles.name}>
      <Link to="/w/$workspace/webhooks/$id" params={{ workspace, id: webhook.id }}>
        {name}
      </Link>
      {name !== target && <span>{target}</span>}
    </div>
  )
}
