import { Button } from '@mantine/core'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Call } from '../../../server/calls/schema.ts'
import type { Campaign } from '../../../server/campaigns/schema.ts'
import { CallStatus } from '../calls/CallStatus.tsx'
import { type Outcome, timeOf, toNamed } from '../calls/call.ts'
import { useContactName } from '../conversations/useContactName.ts'
import { useApi, useWorkspaceId } from '../kit/api.ts'
import { formatDuration } from '../kit/format.ts'
import { PhoneIcon } from '../kit/icons.tsx'
import { rowsOf } from '../kit/merged-lists.ts'
import { pagesQuery } from '../kit/pages.ts'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { EmptyState, LoadError } from '../kit/states.tsx'
import { type Column, Table } from '../kit/Table.tsx'
import { describeValue } from './AgentResults.tsx'
import { campaignsKey, isFinal, reasonName, refetch_ms } from './campaign.ts'
import styles from './campaigns.module.css'

const page_size = 10

interface CampaignCallsProps {
  campaign: Campaign
  /** Restricts the list to calls with this outcome. */
  outcome: Outcome | undefined
}

/** The last calls of a campaign, newest first. */
export function CampaignCalls({ campaign, outcome }: CampaignCallsProps) {
  const api = useApi()
  const query = { campaign_id: campaign.id, outcome, limit: page_size }
  const list = useInfiniteQuery({
    ...pagesQuery<Call>(api, [...campaignsKey(api), 'calls', campaign.id], '/calls', query),
    placeholderData: keepPreviousData,
    // Only one page is read again: a longer list would be read page by page each time.
    refetchInterval: ({ state }) => (!isFinal(campaign) && state.data?.pages.length === 1 ? refetch_ms : false),
  })
  const name = outcome ? `Calls: ${reasonName(outcome).toLowerCase()}` : 'Last calls'
  if (list.error && !list.data) return <LoadError error={list.error} retry={list.refetch} />
  return (
    <section aria-label="Calls" className={styles.part}>
      <h2 className={styles.listTitle}>{name}</h2>
      <Table
        label="Calls"
        columns={columns}
        rows={list.data && rowsOf(list)}
        is_stale={list.isPlaceholderData}
        getRowId={({ id }) => id}
        empty={<EmptyState icon={<PhoneIcon size={24} />} title={outcome ? 'No results' : 'No calls yet'} />}
      />
      {list.hasNextPage && (
        <div className={styles.showMore}>
          <Button variant="subtle" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </section>
  )
}

const columns: Column<Call>[] = [
  { id: 'contact', name: 'Contact', cell: (call) => <NameLink call={call} /> },
  { id: 'outcome', name: 'Outcome', width: '140px', cell: (call) => <CallStatus call={call} /> },
  { id: 'results', name: 'Agent results', is_hidden_on_phone: true, cell: ({ results }) => describeResults(results) },
  {
    id: 'duration',
    name: 'Duration',
    width: '90px',
    is_number: true,
    is_hidden_on_phone: true,
    cell: ({ duration_ms }) => (duration_ms === null ? '–' : formatDuration(duration_ms)),
  },
  { id: 'time', name: 'Time', width: '120px', cell: (call) => <RelativeTime time={timeOf(call)} /> },
]

const describeResults = (results: Call['results']): string =>
  Object.entries(results)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name.replaceAll('_', ' ')}: ${describeValue(value)}`)
    .join(' · ')

function NameLink({ call }: { call: Call }) {
  const workspace = useWorkspaceId()
  return (
    <Link to="/w/$workspace/calls/$call_id" params={{ workspace, call_id: call.id }}>
      {useContactName(toNamed(call))}
    </Link>
  )
}
