import { type TProperties, type TSchema, Type } from 'typebox'
import * as clock from '../clock.ts'
import { isId } from '../id.ts'
import { invalid } from '../problem.ts'
import type { Db } from './pool.ts'
import { raw, type Sql, sql } from './sql.ts'

export interface Page<Item> {
  data: Item[]
  pagination: { total: number; limit: number; offset: number; has_more: boolean; next_cursor: string | null }
}

export const Pagination = Type.Object(
  {
    total: Type.Integer({ description: 'How many there are in all, exactly.', examples: [1] }),
    limit: Type.Integer({ description: 'How many a page holds.', examples: [20] }),
    offset: Type.Integer({ description: 'How many come before this page.', examples: [0] }),
    has_more: Type.Boolean({ description: 'Whether more come after this page.', examples: [false] }),
    next_cursor: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Give it as `cursor` to get the next page; `null` on the last one.',
      examples: [null],
    }),
  },
  { title: 'Pagination' },
)

const limit_max = 100

/** What every list takes. */
export const paging = {
  limit: Type.Integer({ minimum: 1, maximum: limit_max, default: 20, description: 'How many to return.' }),
  offset: Type.Integer({ minimum: 0, default: 0, description: 'How many to skip.' }),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description:
        '`pagination.next_cursor` of the page before. Unlike `offset` it never skips or repeats when others are ' +
        'added meanwhile, and costs the same at any depth. Not together with `offset`.',
    }),
  ),
}

export interface PageQuery {
  limit: number
  offset: number
  cursor?: string
}

export const query = <Properties extends TProperties>(properties: Properties) =>
  Type.Object({ ...paging, ...properties })

export const listOf = (items: TSchema) =>
  Type.Object({ success: Type.Literal(true), data: Type.Array(items), pagination: Pagination })

/** `name` is what clients say; nulls come last in either direction, and the id breaks ties. */
export interface Sort {
  name: string
  column: string
  is_descending: boolean
  is_nullable: boolean
  /** Whole numbers, each of which is there once: no ties to break. */
  is_ordinal?: boolean
}

export const newest_first: Sort = { name: '-created_at', column: 'created_at', is_descending: true, is_nullable: false }

/** The same by the time that ids begin with: needs no index beside the primary key. */
export const newest_id_first: Sort = { name: '-id', column: 'id', is_descending: true, is_nullable: false }

interface Place {
  value: string | number | null
  id: string
}

/** Cuts a page out of a selection. */
export interface Cut {
  /** A select of the page's rows, in their order, with these columns. The selection has `id` and the sort's column. */
  rows: (selection: Sql, columns?: Sql) => Sql
  order: Sql
}

/** Reads one page, and one row more to know whether it is the last. */
export async function read<Row extends { id: string }>(
  query: PageQuery,
  sort: Sort,
  fetch: (cut: Cut) => Promise<{ rows: Row[]; total: number }>,
): Promise<Page<Row>> {
  const { limit } = query
  const place = placeOf(query, sort)
  const offset = place ? place.offset : query.offset
  const order = orderOf(sort)
  const part = place ? sql`where ${after(sort, place)}` : raw('')
  const skipped = place || offset === 0 ? raw('') : sql` offset ${offset}`
  // The limit is a parameter, so that all limits share a statement. The constant tells the planner that it is small.
  const cut = (selection: Sql, columns = raw('*')) =>
    sql`select ${columns} from (select * from (${selection}) as selected ${part}
        order by ${order} limit ${raw(String(limit_max + 1))}${skipped}) as page
      order by ${order} limit ${limit + 1}`
  const { rows, total } = await fetch({ rows: cut, order })
  const data = rows.slice(0, limit)
  const has_more = rows.length > limit
  const last = data.at(-1)
  const next_cursor = has_more && last ? cursorOf(sort, last, offset + data.length) : null
  return { data, pagination: { total, limit, offset, has_more, next_cursor } }
}

/** A page of a selection, with how many there are in all; `counted` when that is told by something cheaper. */
export const readSelection = <Row extends { id: string }>(
  db: Db,
  query: PageQuery,
  sort: Sort,
  selection: Sql,
  counted = selection,
): Promise<Page<Row>> =>
  read(query, sort, async (cut) => {
    const [rows, total] = await Promise.all([db.many<Row>(cut.rows(selection)), count(db, counted)])
    return { rows, total }
  })

/** The same page counted from the end, when that is nearer, and in the opposite order. `total` must be right in the snapshot that reads the page. */
export function fromEnd({ limit, offset }: PageQuery, sort: Sort, total: Sql): Cut {
  const turned = orderOf({ ...sort, is_descending: !sort.is_descending }, 'first')
  const rows = (selection: Sql, columns = raw('*')) =>
    sql`select ${columns} from (${selection}) as selected order by ${turned}
      limit greatest(0, least(${limit + 1}, ${total} - ${offset}))
      offset greatest(0, ${total} - ${offset} - ${limit + 1})`
  return { rows, order: orderOf(sort) }
}

export async function count(db: Db, selection: Sql): Promise<number> {
  return (await db.one<{ total: number }>(sql`select count(*) as total from (${selection}) as selected`)).total
}

export function orderOf(
  { column, is_descending, is_nullable, is_ordinal }: Sort,
  nulls: 'first' | 'last' = 'last',
): Sql {
  const direction = is_descending ? 'desc' : 'asc'
  if (is_ordinal || column === 'id') return raw(`${column} ${direction}`)
  // Said only where there can be nulls: an index serves an order only if both say the same.
  return raw(`${column} ${direction}${is_nullable ? ` nulls ${nulls}` : ''}, id ${direction}`)
}

export function after({ column, is_descending, is_nullable, is_ordinal }: Sort, { value, id }: Place): Sql {
  const beyond = raw(is_descending ? '<' : '>')
  const name = raw(column)
  if (is_ordinal) return sql`${name} ${beyond} ${value}::bigint`
  if (column === 'id') return sql`id ${beyond} ${id}`
  if (value === null) return sql`${name} is null and id ${beyond} ${id}`
  const later = sql`(${name}, id) ${beyond} (${value}, ${id})`
  return is_nullable ? sql`(${later} or ${name} is null)` : later
}

function cursorOf(sort: Sort, row: { id: string }, offset: number): string {
  const value: unknown = Object.entries(row).find(([name]) => name === sort.column)?.[1]
  return Buffer.from(JSON.stringify([sort.name, value, row.id, offset])).toString('base64url')
}

function placeOf(query: PageQuery, sort: Sort): (Place & { offset: number }) | undefined {
  if (query.cursor === undefined) return undefined
  if (query.offset > 0) throw refused("cursor and offset don't go together.")
  const [name, value, id, offset] = parse(query.cursor)
  if (name !== sort.name) throw refused(`cursor was made for another sort than ${sort.name}.`)
  const isTheirs = sort.column === 'id' ? isId : clock.isIso
  const is_valued = sort.is_ordinal ? isOrdinal(value) : typeof value === 'string' && isTheirs(value)
  const is_without = value === null && sort.is_nullable
  if (!is_valued && !is_without) throw unreadable()
  if (typeof id !== 'string' || !isId(id) || !Number.isSafeInteger(offset) || Number(offset) < 0) throw unreadable()
  return { value: is_valued ? (value as string | number) : null, id, offset: Number(offset) }
}

const isOrdinal = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0

function parse(cursor: string): unknown[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (Array.isArray(parsed)) return parsed
  } catch {
    // told below, as any other text that is no cursor
  }
  throw unreadable()
}

const refused = (message: string) => invalid([{ path: 'cursor', code: 'format', message }])
const unreadable = () => refused('cursor is not one that this list gave.')
