import { Button, Select } from '@mantine/core'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { Campaign, Enrollment } from '../../../server/campaigns/schema.ts'
import { useContactName } from '../conversations/useContactName.ts'
import { useApi, useWorkspaceId } from '../kit/api.ts'
import { formatNumber } from '../kit/format.ts'
import { PeopleIcon } from '../kit/icons.tsx'
import { rowsOf } from '../kit/merged-lists.ts'
import { useNow } from '../kit/now.ts'
import { pagesQuery } from '../kit/pages.ts'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { EmptyState, LoadError } from '../kit/states.tsx'
import { type Column, Table } from '../kit/Table.tsx'
import { EnrollmentStatus } from './CampaignStatus.tsx'
import {
  campaignsKey,
  enrollment_status_names,
  enrollment_statuses,
  isFinal,
  reasonName,
  refetch_ms,
} from './campaign.ts'
import styles from './campaigns.module.css'
import { EnrollmentDrawer } from './EnrollmentDrawer.tsx'
import type { CampaignSearch } from './search.ts'

const page_size = 50

/** Lists the contacts of a campaign. The URL holds the filter and the open enrollment. */
export function Enrollments({ campaign }: { campaign: Campaign }) {
  const api = useApi()
  const navigate = useNavigate()
  const { status, enrollment } = useSearch({ from: '/w/$workspace/campaigns/$id/contacts' })
  const path = `/campaigns/${campaign.id}/enrollments`
  const list = useInfiniteQuery({
    ...pagesQuery<Enrollment>(api, [...campaignsKey(api), 'enrollments', campaign.id], path, {
      status,
      limit: page_size,
    }),
    placeholderData: keepPreviousData,
    // Only one page is read again: a longer list would be read page by page each time.
    refetchInterval: ({ state }) => (!isFinal(campaign) && state.data?.pages.length === 1 ? refetch_ms : false),
  })
  const open = (search: CampaignSearch) =>
    void navigate({
      to: '/w/$workspace/campaigns/$id/contacts',
      params: { workspace: api.workspace, id: campaign.id },
      search,
      resetScroll: false,
    })
  const filter = status ? { status } : {}
  return (
    <>
      <StatusFilter status={status} onChange={open} />
      {list.error && !list.data ? (
        <LoadError error={list.error} retry={list.refetch} />
      ) : (
        <Table
          label="Contacts"
          columns={columns}
          rows={list.data && rowsOf(list)}
          is_stale={list.isPlaceholderData}
          getRowId={({ id }) => id}
          isHighlighted={({ id }) => id === enrollment}
          empty={
            <EmptyState icon={<PeopleIcon size={24} />} title={status ? 'No results' : 'No contacts yet'}>
              {status && 'No contacts have this status.'}
            </EmptyState>
          }
        />
      )}
      {list.hasNextPage && (
        <div className={styles.showMore}>
          <Button variant="subtle" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
      <EnrollmentDrawer campaign={campaign} id={enrollment} onClose={() => open(filter)} />
    </>
  )
}

interface StatusFilterProps {
  status: Enrollment['status'] | undefined
  onChange: (search: CampaignSearch) => void
}

const StatusFilter = ({ status, onChange }: StatusFilterProps) => (
  <Select
    className={styles.filter ?? ''}
    size="xs"
    aria-label="Status"
    placeholder="Any status"
    data={enrollment_statuses.map((value) => ({ value, label: enrollment_status_names[value] }))}
    value={status ?? null}
    onChange={(value) => onChange(value ? { status: value as Enrollment['status'] } : {})}
    clearable
    clearButtonProps={{ 'aria-label': 'Clear status' }}
  />
)

const columns: Column<Enrollment>[] = [
  { id: 'contact', name: 'Contact', cell: (row) => <NameLink enrollment={row} /> },
  {
    id: 'status',
    name: 'Status',
    cell: ({ status, reason }) => (
      <>
        <EnrollmentStatus status={status} />
        {reason && ` · ${reasonName(reason)}`}
      </>
    ),
  },
  {
    id: 'attempts',
    name: 'Attempts',
    is_number: true,
    is_hidden_on_phone: true,
    cell: (row) => formatNumber(row.attempts),
  },
  {
    id: 'last_outcome',
    name: 'Last outcome',
    is_hidden_on_phone: true,
    cell: (original) => (original.last_outcome ? reasonName(original.last_outcome) : '–'),
  },
  {
    id: 'next_attempt_at',
    name: 'Next attempt',
    is_hidden_on_phone: true,
    cell: (row) => <NextAttempt time={row.next_attempt_at} />,
  },
]

/** Shows when the next attempt is due. A time in the past is when the contact began to wait for a slot. */
function NextAttempt({ time }: { time: string | null }) {
  const now = useNow()
  return time !== null && Date.parse(time) <= now ? 'Due' : <RelativeTime time={time} never="–" />
}

function NameLink({ enrollment: { id, campaign_id, contact_id } }: { enrollment: Enrollment }) {
  const workspace = useWorkspaceId()
  const { status } = useSearch({ from: '/w/$workspace/campaigns/$id/contacts' })
  const name = useContactName({ kind: 'voice', contact_id, counterpart: null })
  return (
    <Link
      to="/w/$workspace/campaigns/$id/contacts"
      params={{ workspace, id: campaign_id }}
      search={{ ...(status && { status }), enrollment: id }}
      resetScroll={false}
    >
      {name}
    </Link>
  )
}
