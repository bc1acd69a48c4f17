import { Button, SegmentedControl } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { Delivery, Webhook } from '../../../server/webhooks/schema.ts'
import { useApi, useWorkspaceId } from '../kit/api.ts'
import { SendIcon } from '../kit/icons.tsx'
import { pagesQuery } from '../kit/pages.ts'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { EmptyState, LoadError } from '../kit/states.tsx'
import { type Column, Table } from '../kit/Table.tsx'
import { DeliveryDrawer } from './DeliveryDrawer.tsx'
import { DeliveryStatusBadge } from './DeliveryStatusBadge.tsx'
import { delivery_names, delivery_statuses, describeAttempt, isOk, refetch_ms } from './webhook.ts'
import styles from './webhooks.module.css'

const page_size = 25

/** Lists the deliveries. The URL holds the filter and the open delivery. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const api = useApi()
  const navigate = useNavigate()
  const { status, delivery } = useSearch({ from: '/w/$workspace/webhooks/$id' })
  const deliveries = useInfiniteQuery({
    ...pagesQuery<Delivery>(
      api,
      [api.workspace, 'webhooks', webhook.id, 'deliveries'],
      `/webhooks/${webhook.id}/deliveries`,
      { status, limit: page_size },
    ),
    // Only one page is read again: a longer list would be read page by page each time.
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? refetch_ms : false),
  })
  const open = (search: { status?: string; delivery?: string }) =>
    void navigate({
      to: '/w/$workspace/webhooks/$id',
      params: { workspace: api.workspace, id: webhook.id },
      search,
      resetScroll: false,
    })
  const filter = status === undefined ? {} : { status }
  return (
    <section aria-label="Deliveries">
      <SegmentedControl
        mb={4}
        aria-label="Filter deliveries"
        value={status ?? 'all'}
        onChange={(value) => open(value === 'all' ? {} : { status: value })}
        data={[
          { value: 'all', label: 'All' },
          ...delivery_statuses.map((value) => ({ value, label: delivery_names[value] })),
        ]}
      />
      {deliveries.error && !deliveries.data ? (
        <LoadError error={deliveries.error} retry={deliveries.refetch} />
      ) : (
        <Table
          label="Deliveries"
          columns={columns}
          rows={deliveries.data?.pages.flatMap(({ data }) => data)}
          getRowId={({ id }) => id}
          isHighlighted={({ id }) => id === delivery}
          empty={
            <EmptyState icon={<SendIcon size={24} />} title={status ? 'No matching deliveries' : 'No deliveries yet'}>
              Send a test event or change a contact to see a delivery here.
            </EmptyState>
          }
        />
      )}
      {deliveries.hasNextPage && (
        <Button
          variant="default"
          mt="md"
          loading={deliveries.isFetchingNextPage}
          onClick={() => void deliveries.fetchNextPage()}
        >
          Show older deliveries
        </Button>
      )}
      <DeliveryDrawer webhook={webhook} id={delivery} onClose={() => open(filter)} />
    </section>
  )
}

const columns: Column<Delivery>[] = [
  { id: 'type', name: 'Event', width: 'minmax(0, 1.3fr)', cell: (row) => <TypeLink {...row} /> },
  { id: 'status', name: 'Status', width: '104px', cell: (row) => <DeliveryStatusBadge {...row} /> },
  {
    id: 'response',
    name: 'Response',
    width: 'minmax(0, 2fr)',
    is_hidden_on_phone: true,
    cell: ({ last_attempt }) =>
      last_attempt && (
        <span className={styles.response} data-ok={isOk(last_attempt)} title={describeAttempt(last_attempt)}>
          {describeAttempt(last_attempt)}
        </span>
      ),
  },
  {
    id: 'attempt',
    name: 'Attempts',
    width: 'minmax(0, 1fr)',
    is_hidden_on_phone: true,
    cell: ({ attempt, status, due_at }) => (
      <>
        {attempt}
        {status === 'pending' && attempt > 0 && (
          <>
            {', next '}
            <RelativeTime time={due_at} never="now" />
          </>
        )}
      </>
    ),
  },
  { id: 'created_at', name: 'Created', width: '112px', cell: (row) => <RelativeTime time={row.created_at} /> },
]

function TypeLink({ id, webhook_id, type }: Delivery) {
  const workspace = useWorkspaceId()
  const search = useSearch({ from: '/w/$workspace/webhooks/$id' })
  return (
    <Link
      className={styles.type}
      to="/w/$workspace/webhooks/$id"
      params={{ workspace, id: webhook_id }}
      search={{ ...search, delivery: id }}
      resetScroll={false}
    >
      {type}
    </Link>
  )
}
