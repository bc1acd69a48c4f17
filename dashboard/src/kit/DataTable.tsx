import { Skeleton } from '@mantine/core'
import { type ColumnDef, type RowData, tableFeatures, useTable } from '@tanstack/react-table'
import type { ReactNode } from 'react'
import styles from './table.module.css'

const features = tableFeatures({})

interface ColumnOptions {
  is_hidden_on_phone?: boolean
  is_narrow?: boolean
  is_number?: boolean
}

export type Column<Row extends RowData> = ColumnDef<typeof features, Row>

declare module '@tanstack/react-table' {
  interface ColumnMeta<TFeatures, TData, TValue> extends ColumnOptions {}
}

interface DataTableProps<Row extends RowData> {
  label: string
  columns: Column<Row>[]
  rows: Row[] | undefined
  getRowId: (row: Row) => string
  onOpen?: (row: Row) => void
  /** The open row, and selected rows. */
  isHighlighted?: (row: Row) => boolean
  sorted?: Record<string, 'ascending' | 'descending' | 'none'>
  is_stale?: boolean
  /** Scrolls sideways within its frame, which then takes the focus. */
  is_framed?: boolean
  empty?: ReactNode
}

const no_rows: never[] = []
const skeleton_rows = 8

export function DataTable<Row extends RowData>({ label, columns, rows, empty, ...more }: DataTableProps<Row>) {
  const { getRowId, onOpen, isHighlighted, sorted, is_stale, is_framed } = more
  const table = useTable({ features, columns, data: rows ?? no_rows, getRowId: getRowId })
  if (rows?.length === 0 && empty) return empty
  return (
    <div
      className={styles.frame}
      data-stale={is_stale || undefined}
      data-framed={is_framed || undefined}
      aria-busy={!rows || is_stale}
      {...(is_framed && { role: 'region', 'aria-label': label, tabIndex: 0 })}
    >
      <table className={styles.table} aria-label={label}>
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id}>
              {group.headers.map((header) => (
                <th
                  key={header.id}
                  scope="col"
                  className={columnClass(header.column.columnDef)}
                  aria-sort={sorted?.[header.column.id]}
                >
                  <table.FlexRender header={header} />
                </th>
              ))}
            </tr>
          ))}
        </thead>
        <tbody>
          {!rows && <LoadingRows columns={columns} />}
          {table.getRowModel().rows.map((row) => (
            <tr
              key={row.id}
              data-highlighted={isHighlighted?.(row.original) || undefined}
              data-opens={Boolean(onOpen) || undefined}
              onClick={(event) => {
                // Clicks on controls and text selection don't open the row.
                const is_on_control = event.target instanceof Element && event.target.closest('a, button, input, label')
                if (!is_on_control && !String(getSelection() ?? '')) onOpen?.(row.original)
              }}
            >
              {row.getAllCells().map((cell) => (
                <td key={cell.id} className={columnClass(cell.column.columnDef)}>
                  <table.FlexRender cell={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function LoadingRows<Row extends RowData>({ columns }: { columns: Column<Row>[] }) {
  return Array.from({ length: skeleton_rows }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the rows are identical
    <tr key={row}>
      {columns.map((column, index) => (
        <td key={column.id ?? index} className={columnClass(column)}>
          <Skeleton height={14} width={`${60 + ((row * 13 + index * 7) % 35)}%`} radius="sm" />
        </td>
      ))}
    </tr>
  ))
}

function columnClass({ meta = {} }: { meta?: ColumnOptions }): string {
  const { is_hidden_on_phone, is_narrow, is_number } = meta
  return [is_hidden_on_phone && styles.hidden, is_narrow && styles.narrow, is_number && styles.number]
    .filter(Boolean)
    .join(' ')
}
