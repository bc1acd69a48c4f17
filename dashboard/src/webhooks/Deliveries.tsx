import { Button, SegmentedControl } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { Delivery, Webhook } from '../../../server/webhooks/schema.ts'
import { useApi, useWorkspaceId } from '../kit/api.ts'
import { formatCount } from '../kit/format.ts'
import { SendIcon } from '../kit/icons.tsx'
import { Card } from '../kit/Page.tsx'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { EmptyState, LoadError } from '../kit/states.tsx'
import { type Column, Table } from '../kit/Table.tsx'
import { DeliveryDialog } from './DeliveryDialog.tsx'
import { DeliveryStatusBadge } from './DeliveryStatusBadge.tsx'
import { delivery_names, delivery_statuses, refetch_ms } from './webhook.ts'
import styles from './webhooks.module.css'

const page_size = 25

/** The URL holds the filter and the open delivery. */
export function Deliveries({ webhook }: { webhook: Webhook }) {
  const api = useApi()
  const navigate = useNavigate()
  const { status, delivery } = useSearch({ from: '/w/$workspace/webhooks/$id' })
  const deliveries = useInfiniteQuery({
    queryKey: [api.workspace, 'webhooks', webhook.id, 'deliveries', status],
    queryFn: ({ pageParam, signal }) =>
      api.list<Delivery>(`/webhooks/${webhook.id}/deliveries`, { status, limit: page_size, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.next_cursor ?? undefined,
    refetchInterval: refetch_ms,
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
    <Card title="Deliveries" is_flush>
      <div className={styles.filter}>
        <SegmentedControl
          aria-label="Filter deliveries"
          value={status ?? 'all'}
          onChange={(value) => open(value === 'all' ? {} : { status: value })}
          data={[
            { value: 'all', label: 'All' },
            ...delivery_statuses.map((value) => ({ value, label: delivery_names[value] })),
          ]}
        />
      </div>
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
        <div className={styles.filter}>
          <Button
            variant="default"
            loading={deliveries.isFetchingNextPage}
            onClick={() => void deliveries.fetchNextPage()}
          >
            Show older deliveries
          </Button>
        </div>
      )}
      <DeliveryDialog webhook={webhook} id={delivery} onClose={() => open(filter)} />
    </Card>
  )
}

const columns: Column<Delivery>[] = [
  { id: 'type', name: 'Event', cell: (row) => <TypeLink {...row} /> },
  { id: 'status', name: 'Status', cell: (row) => <DeliveryStatusBadge {...row} /> },
  {
    id: 'attempt',
    name: 'Attempts',
    is_hidden_on_phone: true,
    cell: (original) => (
      <>
        {formatCount(original.attempt, 'attempt')}
        {original.status === 'pending' && original.attempt > 0 && (
          <span className={styles.next}>
            next <RelativeTime time={original.due_at} never="now" />
          </span>
        )}
      </>
    ),
  },
  { id: 'created_at', name: 'Created', cell: (row) => <RelativeTime time={row.created_at} /> },
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
