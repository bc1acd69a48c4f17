import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Campaign } from '../../../server/campaigns/schema.ts'
import { useApi, useWorkspaceId } from '../kit/api.ts'
import { formatNumber } from '../kit/format.ts'
import { MegaphoneIcon, PlusIcon } from '../kit/icons.tsx'
import { rowsOf } from '../kit/merged-lists.ts'
import { Page } from '../kit/Page.tsx'
import { pagesQuery } from '../kit/pages.ts'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { useCanEdit } from '../kit/session.ts'
import { EmptyState, LoadError } from '../kit/states.tsx'
import { type Column, Table } from '../kit/Table.tsx'
import { CampaignStatus } from './CampaignStatus.tsx'
import { campaignsKey, kind_names, refetch_ms } from './campaign.ts'
import styles from './campaigns.module.css'
import { countDone, StatusBar } from './StatusBar.tsx'

const page_size = 50

export function CampaignsPage() {
  const api = useApi()
  const can_edit = useCanEdit()
  const campaigns = useInfiniteQuery({
    ...pagesQuery<Campaign>(api, [...campaignsKey(api), 'list'], '/campaigns', { limit: page_size }),
    // Only one page is read again: a longer list would be read page by page each time.
    refetchInterval: ({ state: { data } }) =>
      data?.pages.length === 1 && rowsOf({ data }).some(({ status }) => status === 'running') ? refetch_ms : false,
  })
  return (
    <Page title="Campaigns" actions={can_edit && <NewLink />}>
      {campaigns.error && !campaigns.data ? (
        <LoadError error={campaigns.error} retry={campaigns.refetch} />
      ) : (
        <Table
          label="Campaigns"
          columns={columns}
          rows={campaigns.data && rowsOf(campaigns)}
          getRowId={({ id }) => id}
          empty={
            <EmptyState icon={<MegaphoneIcon size={24} />} title="No campaigns yet" action={can_edit && <NewLink />}>
              {can_edit && 'Choose contacts, an agent and hours. You see a forecast before anyone is called.'}
            </EmptyState>
          }
        />
      )}
      {campaigns.hasNextPage && (
        <div className={styles.showMore}>
          <Button
            variant="subtle"
            loading={campaigns.isFetchingNextPage}
            onClick={() => void campaigns.fetchNextPage()}
          >
            Show more
          </Button>
        </div>
      )}
    </Page>
  )
}

function NewLink() {
  const workspace = useWorkspaceId()
  return (
    <Button
      data-shortcut="c"
      leftSection={<PlusIcon size={17} />}
      renderRoot={(props) => <Link to="/w/$workspace/campaigns/new" params={{ workspace }} {...props} />}
    >
      New campaign
    </Button>
  )
}

const columns: Column<Campaign>[] = [
  { id: 'name', name: 'Campaign', cell: (row) => <NameLink campaign={row} /> },
  { id: 'kind', name: 'Kind', width: '80px', is_hidden_on_phone: true, cell: ({ kind }) => kind_names[kind] },
  { id: 'status', name: 'Status', cell: (row) => <CampaignStatus {...row} /> },
  { id: 'progress', name: 'Progress', cell: (row) => <Done {...row} /> },
  {
    id: 'created_at',
    name: 'Created',
    is_hidden_on_phone: true,
    cell: (row) => <RelativeTime time={row.created_at} />,
  },
]

function NameLink({ campaign: { id, name } }: { campaign: Campaign }) {
  const workspace = useWorkspaceId()
  return (
    <Link to="/w/$workspace/campaigns/$id" params={{ workspace, id }}>
      {name}
    </Link>
  )
}

function Done({ counts: { enrolled: total, by_status } }: Pick<Campaign, 'counts'>) {
  if (total === 0) return <span className={styles.hint}>No contacts</span>
  return (
    <div className={styles.done}>
      <StatusBar total={total} by_status={by_status} />
      <span>
        {formatNumber(countDone({ total, by_status }))} of {formatNumber(total)}
      </span>
    </div>
  )
}
