import { Button, SegmentedControl } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { Import, ImportRow, Outcome } from '../../../server/imports/schema.ts'
import { contact_fields } from '../contacts/contact-fields.ts'
import { useApi } from '../kit/api.ts'
import { plainWords } from '../kit/error-messages.ts'
import { formatNumber } from '../kit/format.ts'
import { FileIcon } from '../kit/icons.tsx'
import { pagesQuery } from '../kit/pages.ts'
import { Status, type Tone } from '../kit/Status.tsx'
import { EmptyState, LoadError } from '../kit/states.tsx'
import { type Column, Table } from '../kit/Table.tsx'
import { outcomes } from './import.ts'
import styles from './imports.module.css'

const page_size = 50
const dry_run_names: Record<Outcome, string> = {
  created: 'Will be created',
  updated: 'Will be updated',
  skipped: 'Will be skipped',
  refused: 'Invalid',
}
const result_names: Record<Outcome, string> = {
  created: 'Created',
  updated: 'Updated',
  skipped: 'Skipped',
  refused: 'Skipped: invalid',
}
const filter_names: Record<Outcome, string> = { ...result_names, refused: 'Invalid' }
const tones: Record<Outcome, Tone> = { created: 'success', updated: 'success', skipped: 'neutral', refused: 'danger' }

export function ImportRows({ import: report }: { import: Import }) {
  const api = useApi()
  const [outcome, setOutcome] = useState<Outcome | 'all'>('all')
  const rows = useInfiniteQuery(
    pagesQuery<ImportRow>(
      api,
      [api.workspace, 'imports', report.id, 'rows', report.status],
      `/contacts/imports/${report.id}/rows`,
      { limit: page_size, outcome: outcome === 'all' ? undefined : outcome },
    ),
  )
  const names = report.is_dry_run ? dry_run_names : result_names
  const columns = useMemo(() => buildColumns(report.columns, names), [report.columns, names])
  const all = useMemo(() => rows.data?.pages.flatMap(({ data }) => data), [rows.data])
  return (
    <>
      <ul className={styles.counts} aria-label="Rows by outcome">
        {outcomes.map((name) => (
          <li key={name}>
            <strong>{formatNumber(report[name])}</strong>
            <span>{names[name]}</span>
          </li>
        ))}
      </ul>
      <SegmentedControl
        className={styles.filter}
        aria-label="Filter rows"
        value={outcome}
        onChange={(value) => setOutcome(value as Outcome | 'all')}
        data={[{ value: 'all', label: 'All' }, ...outcomes.map((name) => ({ value: name, label: filter_names[name] }))]}
      />
      {rows.error && !rows.data ? (
        <LoadError error={rows.error} retry={rows.refetch} />
      ) : (
        <div className={styles.rows}>
          <Table
            label="Rows"
            is_framed
            columns={columns}
            rows={all}
            getRowId={({ id }) => id}
            empty={<EmptyState icon={<FileIcon size={24} />} title="No rows" />}
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

/** "phone_number is required" becomes "Phone number is required". */
function formatReason(reason: string): string {
  const plain = plainWords(reason)
  if (plain) return plain
  const field = contact_fields.find(({ value }) => reason.startsWith(`${value} `))
  return field ? field.label + reason.slice(field.value.length) : reason
}

const buildColumns = (columns: string[], names: Record<Outcome, string>): Column<ImportRow>[] => [
  {
    id: 'row_number',
    name: 'Row',
    is_number: true,
    cell: (row) => formatNumber(row.row_number),
  },
  {
    id: 'outcome',
    name: 'Outcome',
    cell: (original) => (
      <div className={styles.outcome}>
        <Status tone={tones[original.outcome]}>{names[original.outcome]}</Status>
        {original.reason && <span className={styles.reason}>{formatReason(original.reason)}</span>}
      </div>
    ),
  },
  ...columns.map(
    (column, index): Column<ImportRow> => ({
      id: `column ${index}`,
      name: column || `Column ${index + 1}`,
      cell: (row) => <span className={styles.cell}>{row.values[column] ?? ''}</span>,
    }),
  ),
]
