import { Button, SegmentedControl } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { Delivery, Webhook } from '../../../server/webhooks/schema.ts'
import { useApi, useWorkspaceId } from '../kit/api.ts'
import { type Column, DataTable } from '../kit/DataTable.tsx'
import { SendIcon } from '../kit/icons.tsx'
import { Card } from '../kit/Page.tsx'
import { Ago, sayCount } from '../kit/RelativeTime.tsx'
import { Empty, Failure } from '../kit/states.tsx'
import { OneDelivery } from './DeliveryDialog.tsx'
import { DeliveryStatusBadge } from './DeliveryStatusBadge.tsx'
import { delivery_names, delivery_statuses, look_again_ms } from './webhook.ts'
import styles from './webhooks.module.css'

const page_size = 25

/** What was sent, live. The address says which are shown, and which one is open. */
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
    refetchInterval: look_again_ms,
  })
  const go = (search: { status?: string; delivery?: string }) =>
    void navigate({
      to: '/w/$workspace/webhooks/$id',
      params: { workspace: api.workspace, id: webhook.id },
      search,
      resetScroll: false,
    })
  const kept = status === undefined ? {} : { status }
  return (
    <Card title="Deliveries" is_flush>
      <div className={styles.which}>
        <SegmentedControl
          aria-label="Filter deliveries"
          value={status ?? 'all'}
          onChange={(value) => go(value === 'all' ? {} : { status: value })}
          data={[
            { value: 'all', label: 'All' },
            ...delivery_statuses.map((one) => ({ value: one, label: delivery_names[one] })),
          ]}
        />
      </div>
      {deliveries.error ? (
        <Failure error={deliveries.error} retry={deliveries.refetch} />
      ) : (
        <DataTable
          label="Deliveries"
          columns={columns}
          rows={deliveries.data?.pages.flatMap(({ data }) => data)}
          idOf={({ id }) => id}
          isMarked={({ id }) => id === delivery}
          onOpen={({ id }) => go({ ...kept, delivery: id })}
          empty={
            <Empty icon={<SendIcon size={24} />} title={status ? 'No matching deliveries' : 'No deliveries yet'}>
              Send a test event or change a contact to see a delivery here.
            </Empty>
          }
        />
      )}
      {deliveries.hasNextPage && (
        <div className={styles.which}>
          <Button
            variant="default"
            loading={deliveries.isFetchingNextPage}
            onClick={() => void deliveries.fetchNextPage()}
          >
            Show older deliveries
          </Button>
        </div>
      )}
      <OneDelivery webhook={webhook} id={delivery} onClose={() => go(kept)} />
    </Card>
  )
}

const columns: Column<Delivery>[] = [
  { id: 'type', header: 'Event', cell: ({ row }) => <TypeLink {...row.original} /> },
  { id: 'status', header: 'Status', cell: ({ row }) => <DeliveryStatusBadge {...row.original} /> },
  {
    id: 'attempt',
    header: 'Attempts',
    meta: { is_hidden_on_phone: true },
    cell: ({ row: { original } }) => (
      <>
        {sayCount(original.attempt, 'attempt')}
        {original.status === 'pending' && original.attempt > 0 && (
          <span className={styles.next}>
            next <Ago time={original.due_at} never="now" />
          </span>
        )}
      </>
    ),
  },
  { id: 'created_at', header: 'Created', cell: ({ row }) => <Ago time={row.original.created_at} /> },
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
