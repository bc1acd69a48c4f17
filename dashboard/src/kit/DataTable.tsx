import { Skeleton } from '@mantine/core'
import { type ColumnDef, type RowData, tableFeatures, useTable } from '@tanstack/react-table'
import type { ReactNode } from 'react'
import styles from './table.module.css'

const features = tableFeatures({})

/** How a column is shown, and whether where there is little room. */
interface Look {
  is_hidden_on_phone?: boolean
  is_narrow?: boolean
  is_number?: boolean
}

export type Column<Row extends RowData> = ColumnDef<typeof features, Row>

declare module '@tanstack/react-table' {
  interface ColumnMeta<TFeatures, TData, TValue> extends Look {}
}

interface DataTableProps<Row extends RowData> {
  label: string
  columns: Column<Row>[]
  rows: Row[] | undefined
  idOf: (row: Row) => string
  onOpen?: (row: Row) => void
  /** The row that is open, or those that are ticked. */
  isMarked?: (row: Row) => boolean
  sorted?: Record<string, 'ascending' | 'descending' | 'none'>
  is_stale?: boolean
  /** It scrolls in a frame of its own, which the keyboard must reach. */
  is_framed?: boolean
  empty?: ReactNode
}

const no_rows: never[] = []
const waiting_rows = 8

export function DataTable<Row extends RowData>({ label, columns, rows, empty, ...more }: DataTableProps<Row>) {
  const { idOf, onOpen, isMarked, sorted, is_stale, is_framed } = more
  const table = useTable({ features, columns, data: rows ?? no_rows, getRowId: idOf })
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
                  className={classOf(header.column.columnDef)}
                  aria-sort={sorted?.[header.column.id]}
                >
                  <table.FlexRender header={header} />
                </th>
              ))}
            </tr>
          ))}
        </thead>
        <tbody>
          {!rows && <WaitingRows columns={columns} />}
          {table.getRowModel().rows.map((row) => (
            <tr
              key={row.id}
              data-marked={isMarked?.(row.original) || undefined}
              data-opens={Boolean(onOpen) || undefined}
              onClick={(event) => {
                // A click on what does something else, or that selects text, doesn't open the row.
                const is_own = event.target instanceof Element && event.target.closest('a, button, input, label')
                if (!is_own && !String(getSelection() ?? '')) onOpen?.(row.original)
              }}
            >
              {row.getAllCells().map((cell) => (
                <td key={cell.id} className={classOf(cell.column.columnDef)}>
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

function WaitingRows<Row extends RowData>({ columns }: { columns: Column<Row>[] }) {
  return Array.from({ length: waiting_rows }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
    <tr key={row}>
      {columns.map((column, index) => (
        <td key={column.id ?? index} className={classOf(column)}>
          <Skeleton height={14} width={`${60 + ((row * 13 + index * 7) % 35)}%`} radius="sm" />
        </td>
      ))}
    </tr>
  ))
}

function classOf({ meta = {} }: { meta?: Look }): string {
  const { is_hidden_on_phone, is_narrow, is_number } = meta
  return [is_hidden_on_phone && styles.hidden, is_narrow && styles.narrow, is_number && styles.number]
    .filter(Boolean)
    .join(' ')
}
