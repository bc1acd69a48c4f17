import { ActionIcon, Button, Checkbox, Skeleton, UnstyledButton } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { memo, type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { formatNumber } from './format.ts'
import { ColumnsIcon, DownIcon, SortIcon, UpIcon } from './icons.tsx'
import { lazyMenu } from './lazy-menu.tsx'
import styles from './table.module.css'
import { showError } from './toast.ts'
import { useRowKeys } from './useRowKeys.ts'

const ColumnMenu = lazyMenu(async () => (await import('./ColumnMenu.tsx')).ColumnMenu)

export interface Column<Row> {
  id: string
  name: string
  cell: (row: Row) => ReactNode
  /** The width, as a track of a CSS grid. Rows are grids of their own, so it can't depend on what they contain. */
  width?: string
  /** Whether the server can sort by the column. */
  is_sortable?: boolean
  is_number?: boolean
  is_hidden_on_phone?: boolean
  /** Whether the column is shown only if the person chooses it. This needs `remember_as`. */
  is_extra?: boolean
  /** Whether only screen readers get the name, such as that of a column of menus. */
  is_name_hidden?: boolean
}

export interface Selection<Row> {
  selected: ReadonlyMap<string, Row>
  onChange: (selected: ReadonlyMap<string, Row>) => void
  /** Names a row for screen readers, as in "Select Grace Hopper". */
  nameOf: (row: Row) => string
  /** The number of all rows that match, also on other pages. */
  total: number
  loadAll: () => Promise<Row[]>
  /** The buttons of the bar that stays at the bottom while rows are selected. */
  actions: ReactNode
}

interface TableProps<Row> {
  label: string
  /** The columns. A row leads to where the first link in its first column does. */
  columns: Column<Row>[]
  rows: Row[] | undefined
  getRowId: (row: Row) => string
  /** Whether the row is the open one. */
  isHighlighted?: (row: Row) => boolean
  /** The column by which rows are sorted, with a minus if descending. */
  sort?: string
  onSort?: (sort: string) => void
  selection?: Selection<Row> | undefined
  /** The key under which this browser remembers the chosen columns. */
  remember_as?: string
  /** Whether the rows are those of an earlier answer, shown until the next one arrives. */
  is_stale?: boolean
  /** Whether the table scrolls sideways within its frame, which then takes the focus. */
  is_framed?: boolean
  empty?: ReactNode
}

const skeleton_rows = 12
const framed_column_px = 150
/** The browser skips chunks that are out of view: with single rows, ten thousand of them make scrolling slow. */
const chunk_rows = 50
/** The height of a row with its line. It is used only for chunks that were not shown yet. */
const row_px = 37

/** Shows rows. All lists use this table. j and k move between its rows, Enter opens one, x selects it. */
export function Table<Row>(props: TableProps<Row>) {
  const { label, columns, rows, getRowId, selection, sort, onSort, is_stale, is_framed, empty, remember_as } = props
  const [shown, choice] = useChosenColumns(columns, remember_as)
  const table = useRef<HTMLTableElement>(null)
  const toggle = useToggle(rows, getRowId, selection)
  useRowKeys(table)
  if (rows?.length === 0 && empty) return empty
  const tracks = [...(selection ? ['32px'] : []), ...shown.map(({ width }, index) => width ?? defaultTrack(index))]
  const phone_tracks = [
    ...(selection ? ['32px'] : []),
    ...shown.filter((column) => !column.is_hidden_on_phone).map(({ width }, index) => width ?? defaultTrack(index)),
  ]
  const variables = { '--columns': tracks.join(' '), '--columns-on-phone': phone_tracks.join(' ') }
  return (
    <div
      className={styles.frame}
      data-stale={is_stale || undefined}
      data-framed={is_framed || undefined}
      data-choice={Boolean(choice) || undefined}
      aria-busy={!rows || is_stale}
      {...(is_framed && { role: 'region', 'aria-label': label, tabIndex: 0 })}
    >
      <table
        ref={table}
        className={styles.table}
        aria-label={label}
        style={{ ...variables, ...(is_framed && { minWidth: shown.length * framed_column_px }) }}
      >
        <thead>
          <tr>
            {selection && (
              <th scope="col" className={styles.check}>
                <AllCheckbox rows={rows} getRowId={getRowId} selection={selection} />
              </th>
            )}
            {shown.map((column) => (
              <HeaderCell key={column.id} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        {!rows && (
          <tbody>
            <LoadingRows columns={shown} has_selection={Boolean(selection)} />
          </tbody>
        )}
        {chunksOf(rows ?? []).map((chunk, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows move between chunks when others are added
          <tbody key={index} style={{ containIntrinsicHeight: `auto ${chunk.length * row_px}px` }}>
            {chunk.map((row) => (
              <TableRow
                key={getRowId(row)}
                row={row}
                columns={shown}
                is_highlighted={props.isHighlighted?.(row) ?? false}
                is_selected={selection?.selected.has(getRowId(row)) ?? false}
                toggle={selection && toggle}
                name={selection?.nameOf(row)}
              />
            ))}
          </tbody>
        ))}
      </table>
      {choice}
      {selection && selection.selected.size > 0 && <BulkBar rows={rows} getRowId={getRowId} selection={selection} />}
    </div>
  )
}

const chunksOf = <Row,>(rows: Row[]): Row[][] =>
  Array.from({ length: Math.ceil(rows.length / chunk_rows) }, (_, index) =>
    rows.slice(index * chunk_rows, (index + 1) * chunk_rows),
  )

const defaultTrack = (index: number): string => `minmax(0, ${index === 0 ? 2 : 1}fr)`

interface TableRowProps<Row> {
  row: Row
  columns: Column<Row>[]
  is_highlighted: boolean
  is_selected: boolean
  toggle: ((row: Row, is_range: boolean) => void) | undefined
  name: string | undefined
}

/** A row, which is rendered again only if something of it changes, because lists get long. */
const TableRow = memo(function TableRow<Row>(props: TableRowProps<Row>) {
  const { row, columns, is_highlighted, is_selected, toggle, name } = props
  return (
    <tr data-highlighted={is_highlighted || is_selected || undefined}>
      {toggle && (
        <td className={styles.check}>
          <label>
            <input
              type="checkbox"
              aria-label={`Select ${name}`}
              checked={is_selected}
              // A change by a click has the event of the click, which knows the Shift key.
              onChange={({ nativeEvent }) => toggle(row, (nativeEvent as MouseEvent).shiftKey)}
            />
          </label>
        </td>
      )}
      {columns.map((column, index) => (
        <td key={column.id} className={classOf(column)} data-first={index === 0 || undefined}>
          {column.cell(row)}
        </td>
      ))}
    </tr>
  )
}) as <Row>(props: TableRowProps<Row>) => ReactNode

const classOf = ({ is_hidden_on_phone, is_number }: { is_hidden_on_phone?: boolean; is_number?: boolean }): string =>
  [is_hidden_on_phone && styles.hidden, is_number && styles.number].filter(Boolean).join(' ')

interface HeaderCellProps {
  column: Omit<Column<never>, 'cell'>
  sort: string | undefined
  onSort: ((sort: string) => void) | undefined
}

function HeaderCell({ column, sort = '', onSort }: HeaderCellProps) {
  const { id, name, is_sortable, is_name_hidden } = column
  if (is_name_hidden)
    return (
      <th scope="col" className={classOf(column)}>
        <span className={styles.visuallyHidden}>{name}</span>
      </th>
    )
  if (!is_sortable || !onSort)
    return (
      <th scope="col" className={classOf(column)}>
        {name}
      </th>
    )
  const is_descending = sort === `-${id}`
  const is_ascending = sort === id
  const Icon = is_descending ? DownIcon : is_ascending ? UpIcon : SortIcon
  return (
    <th
      scope="col"
      className={classOf(column)}
      aria-sort={is_descending ? 'descending' : is_ascending ? 'ascending' : 'none'}
    >
      <UnstyledButton className={styles.sorter} onClick={() => onSort(is_descending ? id : `-${id}`)}>
        {name}
        <Icon size={12} />
      </UnstyledButton>
    </th>
  )
}

/** Toggles one row, or with the Shift key all rows from the last one to this one. */
function useToggle<Row>(
  rows: Row[] | undefined,
  getRowId: (row: Row) => string,
  selection: Selection<Row> | undefined,
): (row: Row, is_range: boolean) => void {
  const last_id = useRef<string>(undefined)
  const latest = useRef({ rows, getRowId, selection })
  latest.current = { rows, getRowId, selection }
  return useMemo(
    () => (row, is_range) => {
      const { rows = [], getRowId, selection } = latest.current
      if (!selection) return
      const index = rows.indexOf(row)
      const before = is_range ? rows.findIndex((one) => getRowId(one) === last_id.current) : -1
      const from = before === -1 ? index : Math.min(before, index)
      const to = before === -1 ? index : Math.max(before, index)
      const is_selected = !selection.selected.has(getRowId(row))
      const next = new Map(selection.selected)
      for (const one of rows.slice(from, to + 1))
        is_selected ? next.set(getRowId(one), one) : next.delete(getRowId(one))
      last_id.current = getRowId(row)
      selection.onChange(next)
    },
    [],
  )
}

interface SelectionPartProps<Row> {
  rows: Row[] | undefined
  getRowId: (row: Row) => string
  selection: Selection<Row>
}

function AllCheckbox<Row>({ rows = [], getRowId, selection: { selected, onChange } }: SelectionPartProps<Row>) {
  const are_all_selected = rows.length > 0 && rows.every((row) => selected.has(getRowId(row)))
  return (
    <Checkbox
      size="xs"
      aria-label="Select all on this page"
      checked={are_all_selected}
      indeterminate={selected.size > 0 && !are_all_selected}
      onChange={() => onChange(new Map(are_all_selected ? [] : rows.map((row) => [getRowId(row), row])))}
    />
  )
}

function BulkBar<Row>({ rows = [], getRowId, selection }: SelectionPartProps<Row>) {
  const { selected, onChange, total, loadAll, actions } = selection
  const [is_loading, setLoading] = useState(false)
  const is_page_selected = rows.every((row) => selected.has(getRowId(row)))
  // The bar goes when the selection is cleared or belongs to other rows. Rows that are loaded later must not be
  // selected then.
  const is_shown = useRef(true)
  useEffect(() => {
    is_shown.current = true
    return () => {
      is_shown.current = false
    }
  }, [])
  const selectAll = async () => {
    setLoading(true)
    try {
      const all = await loadAll()
      if (is_shown.current) onChange(new Map(all.map((row) => [getRowId(row), row])))
    } catch (error) {
      showError(error)
    } finally {
      setLoading(false)
    }
  }
  return (
    <section className={styles.bulk} aria-label="Selected rows">
      <span className={styles.bulkCount}>{formatNumber(selected.size)} selected</span>
      {is_page_selected && selected.size < total && (
        <Button size="xs" variant="subtle" loading={is_loading} onClick={() => void selectAll()}>
          Select all {formatNumber(total)}
        </Button>
      )}
      {actions}
      <Button size="xs" variant="subtle" color="gray" onClick={() => onChange(new Map())}>
        Clear selection
      </Button>
    </section>
  )
}

/** Returns the columns to show, and the menu that chooses them. */
function useChosenColumns<Row>(columns: Column<Row>[], key: string | undefined): [Column<Row>[], ReactNode] {
  const [chosen, setChosen] = useLocalStorage<Record<string, boolean>>({
    key: `parley-columns-${key}`,
    defaultValue: {},
    getInitialValueInEffect: false,
  })
  const isShown = ({ id, is_extra = false }: Column<Row>) => chosen[id] ?? !is_extra
  // biome-ignore lint/correctness/useExhaustiveDependencies: `isShown` depends on what was chosen
  const shown = useMemo(() => (key ? columns.filter(isShown) : columns), [columns, key, chosen])
  if (!key) return [shown, null]
  const menu = (
    <ColumnMenu
      columns={columns.slice(1).map((column) => ({ id: column.id, name: column.name, is_shown: isShown(column) }))}
      onChange={(id, is_shown) => setChosen((before) => ({ ...before, [id]: is_shown }))}
      target={
        <ActionIcon className={styles.choose} variant="subtle" color="gray" size="sm" aria-label="Choose columns">
          <ColumnsIcon size={14} />
        </ActionIcon>
      }
    />
  )
  return [shown, menu]
}

interface LoadingRowsProps {
  columns: { id: string; is_hidden_on_phone?: boolean; is_number?: boolean }[]
  has_selection: boolean
}

function LoadingRows({ columns, has_selection }: LoadingRowsProps) {
  return Array.from({ length: skeleton_rows }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the rows are identical
    <tr key={row}>
      {has_selection && <td />}
      {columns.map((column, index) => (
        <td key={column.id} className={classOf(column)}>
          <Skeleton height={10} width={`${45 + ((row * 13 + index * 7) % 40)}%`} radius="sm" />
        </td>
      ))}
    </tr>
  ))
}
