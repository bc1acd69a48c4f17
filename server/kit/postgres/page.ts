import { type TProperties, type TSchema, Type } from 'typebox'
import * as clock from '../clock.ts'
import { also_called, sample_id } from '../field.ts'
import { isId } from '../id.ts'
import { invalid } from '../problem.ts'
import type { Db } from './pool.ts'
import { raw, type Sql, type StatementFor, sql } from './sql.ts'

export interface Page<Item> {
  data: Item[]
  pagination: { total: number; limit: number; offset: number; has_more: boolean; next_cursor: string | null }
}

const Pagination = Type.Object(
  {
    total: Type.Integer({ description: 'The exact number of items on all pages.', examples: [1] }),
    limit: Type.Integer({ description: 'The maximum number of items on a page.', examples: [20] }),
    offset: Type.Integer({ description: 'The number of items before this page.', examples: [0] }),
    has_more: Type.Boolean({ description: 'Whether there are items after this page.', examples: [false] }),
    next_cursor: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Pass this as `cursor` to get the next page. `null` on the last page.',
      examples: [null],
    }),
  },
  { title: 'Pagination' },
)

const limit_max = 100

/** The query parameters of every list. The example of a cursor is one that the list accepts. */
const paging = (cursor_example: CursorExample) => ({
  limit: Type.Integer({
    minimum: 1,
    maximum: limit_max,
    default: 20,
    description: 'The maximum number of items to return.',
    [also_called]: ['page_size', 'per_page', 'count'],
  }),
  offset: Type.Integer({
    minimum: 0,
    default: 0,
    description: 'The number of items to skip.',
    [also_called]: ['page', 'skip'],
  }),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description:
        '`pagination.next_cursor` of the previous page. Unlike `offset`, a cursor never skips or repeats items when ' +
        "others are added, and deep pages are as fast as the first. Can't be used with `offset`.",
      examples: [encodeCursor(...cursor_example, sample_id, 20)],
    }),
  ),
})

export interface PageQuery {
  limit: number
  offset: number
  cursor?: string
}

/** The name of the list's sort, and a value of the column that it sorts by. */
type CursorExample = [sort: string, value: string | number]

export const query = <Properties extends TProperties>(
  properties: Properties,
  cursor_example: CursorExample = ['-created_at', '2026-11-15T09:30:00.000Z'],
) => Type.Object({ ...paging(cursor_example), ...properties })

export const pageSchema = (items: TSchema) =>
  Type.Object({ success: Type.Literal(true), data: Type.Array(items), pagination: Pagination })

/** `name` is the value of the `sort` parameter. Nulls come last in both directions, and the id breaks ties. */
export interface Sort {
  name: string
  column: string
  is_descending: boolean
  is_nullable: boolean
  /** The column has unique whole numbers, so there are no ties to break. */
  is_ordinal?: boolean
}

export const newest_first: Sort = { name: '-created_at', column: 'created_at', is_descending: true, is_nullable: false }

/** Ids start with their creation time, so this order needs only the primary key. */
export const newest_id_first: Sort = { name: '-id', column: 'id', is_descending: true, is_nullable: false }

export interface CursorPosition {
  value: string | number | null
  id: string
}

/** The SQL that limits a selection to one page. */
export interface PageSql {
  /** Selects the page's rows in order. The selection must have `id` and the sort's column. */
  rows: (selection: Sql, columns?: Sql) => Sql
  order: Sql
}

/** The page of a list whose items are numbered from 1 without gaps: what is before it is known without counting. */
export interface NumberedPage {
  /** The number of the last item before the page. */
  after: number
  /** The number of rows to read: one more than the page has, which tells whether this page is the last. */
  rows_max: number
}

/** Reads one page and one more row, which tells whether this page is the last. */
export async function read<Row extends { id: string }>(
  query: PageQuery,
  sort: Sort,
  fetch: (page_sql: PageSql) => Promise<{ rows: Row[]; total: number }>,
): Promise<Page<Row>> {
  const { limit } = query
  const position = parseCursor(query, sort)
  const offset = position ? position.offset : query.offset
  const order = orderBy(sort)
  const filter = position ? sql`where ${after(sort, position)}` : raw('')
  const skip = position || offset === 0 ? raw('') : sql` offset ${offset}`
  // The limit is a parameter, so that all limits share one prepared statement. The constant inner limit tells the
  // planner that it is small.
  const rowsOfPage = (selection: Sql, columns = raw('*')) =>
    sql`select ${columns} from (select * from (${selection}) as selected ${filter}
        order by ${order} limit ${raw(String(limit_max + 1))}${skip}) as page
      order by ${order} limit ${limit + 1}`
  const { rows, total } = await fetch({ rows: rowsOfPage, order })
  return pageOf(sort, { rows, total, limit, offset })
}

/** Reads one page of a list whose items are numbered from 1 without gaps, in the order of their numbers. */
export async function readNumbered<Row extends { id: string }>(
  query: PageQuery,
  sort: Sort,
  fetch: (page: NumberedPage) => Promise<{ rows: Row[]; total: number }>,
): Promise<Page<Row>> {
  const { limit } = query
  const position = parseCursor(query, sort)
  // The value of an ordinal sort is a number.
  const after = position ? Number(position.value) : query.offset
  const { rows, total } = await fetch({ after, rows_max: limit + 1 })
  return pageOf(sort, { rows, total, limit, offset: position?.offset ?? query.offset })
}

/** `rows` has one more than the page if there are more. */
function pageOf<Row extends { id: string }>(
  sort: Sort,
  { rows, total, limit, offset }: { rows: Row[]; total: number; limit: number; offset: number },
): Page<Row> {
  const data = rows.slice(0, limit)
  const has_more = rows.length > limit
  const last = data.at(-1)
  const next_cursor = has_more && last ? formatCursor(sort, last, offset + data.length) : null
  return { data, pagination: { total, limit, offset, has_more, next_cursor } }
}

/** Reads a page of a selection and its total. `counted` is a cheaper selection with the same number of rows. */
export const readSelection = <Row extends { id: string }>(
  db: Db,
  query: PageQuery,
  sort: Sort,
  selection: StatementFor<Row>,
  counted: Sql = selection,
): Promise<Page<Row>> =>
  read(query, sort, async (page_sql) => {
    const [rows, total] = await Promise.all([db.many<Row>(page_sql.rows(selection)), count(db, counted)])
    return { rows, total }
  })

/** Reads a deep page from the end, in reverse order, which skips fewer rows. `total` must be exact in the snapshot that reads the page. */
export function fromEnd({ limit, offset }: PageQuery, sort: Sort, total: Sql): PageSql {
  const reversed = orderBy({ ...sort, is_descending: !sort.is_descending }, 'first')
  const rows = (selection: Sql, columns = raw('*')) =>
    sql`select ${columns} from (${selection}) as selected order by ${reversed}
      limit greatest(0, least(${limit + 1}, ${total} - ${offset}))
      offset greatest(0, ${total} - ${offset} - ${limit + 1})`
  return { rows, order: orderBy(sort) }
}

export async function count(db: Db, selection: Sql): Promise<number> {
  return (await db.one<{ total: number }>(sql`select count(*) as total from (${selection}) as selected`)).total
}

export function orderBy(
  { column, is_descending, is_nullable, is_ordinal }: Sort,
  nulls: 'first' | 'last' = 'last',
): Sql {
  const direction = is_descending ? 'desc' : 'asc'
  if (is_ordinal || column === 'id') return raw(`${column} ${direction}`)
  // The order of nulls is named for nullable columns only: PostgreSQL uses an index only if its nulls order is the
  // same.
  return raw(`${column} ${direction}${is_nullable ? ` nulls ${nulls}` : ''}, id ${direction}`)
}

/** The condition for rows that come after this position. */
export function after({ column, is_descending, is_nullable, is_ordinal }: Sort, { value, id }: CursorPosition): Sql {
  const beyond = raw(is_descending ? '<' : '>')
  const name = raw(column)
  if (is_ordinal) return sql`${name} ${beyond} ${value}::bigint`
  if (column === 'id') return sql`id ${beyond} ${id}`
  if (value === null) return sql`${name} is null and id ${beyond} ${id}`
  const is_after = sql`(${name}, id) ${beyond} (${value}, ${id})`
  return is_nullable ? sql`(${is_after} or ${name} is null)` : is_after
}

function formatCursor(sort: Sort, row: { id: string }, offset: number): string {
  const value: unknown = Object.entries(row).find(([name]) => name === sort.column)?.[1]
  return encodeCursor(sort.name, value, row.id, offset)
}

const encodeCursor = (...parts: [sort: string, value: unknown, id: string, offset: number]): string =>
  Buffer.from(JSON.stringify(parts)).toString('base64url')

function parseCursor(query: PageQuery, sort: Sort): (CursorPosition & { offset: number }) | undefined {
  if (query.cursor === undefined) return undefined
  if (query.offset > 0) throw invalidCursor("cursor and offset can't be used together.")
  const [name, value, id, offset] = decodeCursor(query.cursor)
  if (name !== sort.name) throw invalidCursor(`cursor belongs to another sort than ${sort.name}.`)
  const isSortValue = sort.column === 'id' ? isId : clock.isIso
  const has_value = sort.is_ordinal ? isOrdinal(value) : typeof value === 'string' && isSortValue(value)
  const is_null = value === null && sort.is_nullable
  if (!has_value && !is_null) throw unreadable()
  if (typeof id !== 'string' || !isId(id) || !Number.isSafeInteger(offset) || Number(offset) < 0) throw unreadable()
  return { value: has_value ? (value as string | number) : null, id, offset: Number(offset) }
}

const isOrdinal = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0

function decodeCursor(cursor: string): unknown[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (Array.isArray(parsed)) return parsed
  } catch {
    // Rejected below, like other text that is no cursor.
  }
  throw unreadable()
}

const invalidCursor = (message: string) => invalid([{ path: 'cursor', code: 'format', message }])
const unreadable = () => invalidCursor('cursor is not a cursor of this list.')
