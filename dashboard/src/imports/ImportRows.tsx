import { Badge, Button, SegmentedControl } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { Import, ImportRow, Outcome } from '../../../server/imports/schema.ts'
import { useApi } from '../kit/api.ts'
import { type Column, DataTable } from '../kit/DataTable.tsx'
import { FileIcon } from '../kit/icons.tsx'
import { sayNumber } from '../kit/RelativeTime.tsx'
import { Empty, Failure } from '../kit/states.tsx'
import { fields, outcomes } from './import.ts'
import styles from './imports.module.css'

const page_size = 50
const would: Record<Outcome, string> = {
  created: 'Will be created',
  updated: 'Will be updated',
  skipped: 'Will be skipped',
  refused: 'Invalid',
}
const did: Record<Outcome, string> = {
  created: 'Created',
  updated: 'Updated',
  skipped: 'Skipped',
  refused: 'Skipped: invalid',
}
const filter_names: Record<Outcome, string> = { ...did, refused: 'Invalid' }
const colors: Record<Outcome, string> = { created: 'teal', updated: 'blue', skipped: 'gray', refused: 'red' }

/** What became of each row, or would. */
export function Rows({ import: done }: { import: Import }) {
  const api = useApi()
  const [outcome, setOutcome] = useState<Outcome | 'all'>('all')
  const rows = useInfiniteQuery({
    queryKey: [api.workspace, 'imports', done.id, 'rows', outcome, done.status],
    queryFn: ({ pageParam, signal }) =>
      api.list<ImportRow>(
        `/contacts/imports/${done.id}/rows`,
        { limit: page_size, outcome: outcome === 'all' ? undefined : outcome, cursor: pageParam },
        signal,
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.next_cursor ?? undefined,
  })
  const names = done.is_dry_run ? would : did
  const columns = useMemo(() => columnsOf(done.columns, names), [done.columns, names])
  const all = useMemo(() => rows.data?.pages.flatMap(({ data }) => data), [rows.data])
  return (
    <>
      <ul className={styles.counts} aria-label="Rows by outcome">
        {outcomes.map((one) => (
          <li key={one} data-outcome={one}>
            <strong>{sayNumber(done[one])}</strong>
            <span>{names[one]}</span>
          </li>
        ))}
      </ul>
      <SegmentedControl
        className={styles.which}
        aria-label="Filter rows"
        value={outcome}
        onChange={(value) => setOutcome(value as Outcome | 'all')}
        data={[
          { value: 'all', label: 'All rows' },
          ...outcomes.map((one) => ({ value: one, label: filter_names[one] })),
        ]}
      />
      {rows.error ? (
        <Failure error={rows.error} retry={rows.refetch} />
      ) : (
        <div className={styles.rows}>
          <DataTable
            label="Rows"
            is_framed
            columns={columns}
            rows={all}
            idOf={({ id }) => id}
            empty={<Empty icon={<FileIcon size={24} />} title="No rows" />}
          />
        </div>
      )}
      {rows.hasNextPage && (
        <Button variant="default" mt="md" loading={rows.isFetchingNextPage} onClick={() => void rows.fetchNextPage()}>
          Show more rows
        </Button>
      )}
    </>
  )
}

/** "phone_number is required" begins with what the page calls "Phone number". */
function sayReason(reason: string): string {
  const field = fields.find(({ value }) => reason.startsWith(`${value} `))
  return field ? field.label + reason.slice(field.value.length) : reason
}

const columnsOf = (columns: string[], names: Record<Outcome, string>): Column<ImportRow>[] => [
  { id: 'row_number', header: 'Row', meta: { is_number: true }, cell: ({ row }) => sayNumber(row.original.row_number) },
  {
    id: 'outcome',
    header: 'Outcome',
    cell: ({ row: { original } }) => (
      <div className={styles.outcome}>
        <Badge variant="light" color={colors[original.outcome]} tt="none" fw={600}>
          {names[original.outcome]}
        </Badge>
        {original.reason && <span className={styles.reason}>{sayReason(original.reason)}</span>}
      </div>
    ),
  },
  ...columns.map(
    (column, index): Column<ImportRow> => ({
      id: `column ${index}`,
      header: column || `Column ${index + 1}`,
      cell: ({ row }) => <span className={styles.cell}>{row.original.values[column] ?? ''}</span>,
    }),
  ),
]
