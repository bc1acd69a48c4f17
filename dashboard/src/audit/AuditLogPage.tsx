import { Button } from '@mantine/core'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { AuditEntry } from '../../../server/audit/schema.ts'
import { useApi, useWorkspaceId } from '../kit/api.ts'
import { formatNumber } from '../kit/format.ts'
import { LockIcon } from '../kit/icons.tsx'
import { useTitle } from '../kit/Page.tsx'
import { pagesQuery } from '../kit/pages.ts'
import { RelativeTime } from '../kit/RelativeTime.tsx'
import { EmptyState, LoadError } from '../kit/states.tsx'
import { type Column, Table } from '../kit/Table.tsx'
import { AuditFilters } from './AuditFilters.tsx'
import { describeAction } from './actions.ts'
import { describeSubject, describeWho } from './describe.ts'
import { EntryDrawer } from './EntryDrawer.tsx'
import { type AuditSearch, toQuery } from './search.ts'

const page_size = 100
const route = '/w/$workspace/settings/audit-log'

export function AuditLogPage() {
  useTitle('Audit log')
  const api = useApi()
  const navigate = useNavigate()
  const { entry: open_id, ...filters } = useSearch({ from: route })
  const query = useInfiniteQuery({
    ...pagesQuery<AuditEntry>(api, [api.workspace, 'audit_log'], '/audit_log', {
      ...toQuery(filters),
      limit: page_size,
    }),
    placeholderData: keepPreviousData,
  })
  const entries = query.data?.pages.flatMap(({ data }) => data)
  const show = (search: AuditSearch) =>
    void navigate({ to: route, params: { workspace: api.workspace }, search, resetScroll: false })
  const is_filtered = Object.keys(filters).length > 0
  return (
    <>
      <AuditFilters filters={filters} entries={entries ?? []} onChange={show} />
      {query.error && !query.data ? (
        <LoadError error={query.error} retry={query.refetch} />
      ) : (
        <Table
          label="Audit log"
          columns={columns}
          rows={entries}
          getRowId={({ id }) => id}
          isHighlighted={({ id }) => id === open_id}
          is_stale={query.isPlaceholderData}
          empty={
            is_filtered ? (
              <EmptyState icon={<LockIcon size={24} />} title="No results">
                Remove a filter to see more entries.
              </EmptyState>
            ) : (
              <EmptyState icon={<LockIcon size={24} />} title="No entries yet">
                Sign-ins, changes and exports appear here and are kept for a year.
              </EmptyState>
            )
          }
        />
      )}
      {query.hasNextPage && (
        <Button variant="default" mt="md" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Show older entries
        </Button>
      )}
      <EntryDrawer entry={entries?.find(({ id }) => id === open_id)} onClose={() => show(filters)} />
    </>
  )
}

const columns: Column<AuditEntry>[] = [
  { id: 'action', name: 'Action', width: 'minmax(0, 1.6fr)', cell: (entry) => <EntryLink entry={entry} /> },
  { id: 'subject', name: 'About', width: 'minmax(0, 1.4fr)', is_hidden_on_phone: true, cell: describeSubject },
  { id: 'actor', name: 'By', width: 'minmax(0, 1.2fr)', cell: describeWho },
  {
    id: 'ip',
    name: 'IP address',
    width: 'minmax(0, 1fr)',
    is_hidden_on_phone: true,
    cell: ({ ip }) => ip,
  },
  { id: 'at', name: 'Time', width: '104px', cell: ({ at }) => <RelativeTime time={at} /> },
]

function EntryLink({ entry }: { entry: AuditEntry }) {
  const workspace = useWorkspaceId()
  const search = useSearch({ from: route })
  return (
    <>
      <Link to={route} params={{ workspace }} search={{ ...search, entry: entry.id }} resetScroll={false}>
        {describeAction(entry)}
      </Link>
      {entry.count > 1 && ` ×${formatNumber(entry.count)}`}
    </>
  )
}
