import * as clock from '../kit/clock.ts'
import type { At } from '../kit/http/operation.ts'
import { hasControlCharactersExceptBreaks } from '../kit/http/validate-text.ts'
import { newId } from '../kit/id.ts'
import { type IsStopping, inBatches } from '../kit/postgres/in-batches.ts'
import type { Db } from '../kit/postgres/pool.ts'
import { sql } from '../kit/postgres/sql.ts'
import { invalid, notFound } from '../kit/problem.ts'
import { column_name_length_max, columnNames } from './mapping.ts'
import { cells_max, readRows } from './parse-csv.ts'

/** A chunk is what one batch carries out. */
const chunk_rows = 500
/** Of the JSON that is kept of them, in which the smallest cell takes three characters. */
const chunk_length = 1024 * 1024

/** A row's cells; null when its contact was deleted since. */
export type Cells = string[] | null

export interface Chunk {
  first_row: number
  rows: Cells[]
}

/** Reads a file while it arrives, and keeps its rows; nothing of it when it can't be read. */
export async function keep({ db, workspace, now }: At, bytes: AsyncIterable<Buffer>): Promise<string> {
  const id = newId()
  try {
    const chunks = chunker(db, workspace, id)
    let columns: string[] | undefined
    for await (const rows of readRows(bytes)) {
      const header = columns ? undefined : rows.shift()
      if (header) {
        columns = columnNames(checkedHeader(header))
        await insert(db, workspace, id, columns, now)
      }
      for (const cells of rows) await chunks.add(cells)
    }
    if (!columns) throw invalid([{ path: 'file', code: 'required', message: 'The file is empty.' }])
    await finish(db, workspace, id, await chunks.end())
    return id
  } catch (error) {
    // Why it can't be read is told in any case; what can't be removed now goes with retention.
    await Promise.allSettled([remove(db, workspace, id)])
    throw error
  }
}

/** Keeps rows that came as JSON, in the transaction of the import. */
export async function keepRows(
  db: Db,
  workspace: string,
  rows: Record<string, string | null>[],
  now: number,
): Promise<string> {
  const id = newId()
  const columns = checkedNames([...new Set(rows.flatMap((row) => Object.keys(row)))])
  await insert(db, workspace, id, columns, now)
  const chunks = chunker(db, workspace, id)
  for (const row of rows) await chunks.add(columns.map((column) => row[column] ?? ''))
  await finish(db, workspace, id, await chunks.end())
  return id
}

/** Writes chunk after chunk, the next one being gathered while one is under way. */
function chunker(db: Db, workspace: string, file_id: string) {
  // As JSON, so that nothing of the text around the cells is held until they are written.
  let rows: string[] = []
  let length = 0
  let row_count = 0
  let writing: Promise<unknown> = Promise.resolve()

  async function write(): Promise<void> {
    const chunk = { first_row: row_count + 1, rows: `[${rows.join()}]` }
    row_count += rows.length
    rows = []
    length = 0
    await writing
    writing = db.run(
      sql`insert into import_chunks (workspace_id, file_id, first_row, rows)
        values (${workspace}, ${file_id}, ${chunk.first_row}, ${chunk.rows})`,
    )
    // It is told where it is awaited.
    writing.catch(() => {})
  }

  return {
    async add(cells: string[]): Promise<void> {
      const row = JSON.stringify(cells)
      rows.push(row)
      length += row.length
      if (rows.length >= chunk_rows || length >= chunk_length) await write()
    },
    async end(): Promise<number> {
      if (rows.length > 0) await write()
      await writing
      return row_count
    },
  }
}

async function insert(db: Db, workspace: string, id: string, columns: string[], now: number): Promise<void> {
  await db.run(
    sql`insert into import_files (workspace_id, id, columns, created_at)
      values (${workspace}, ${id}, ${columns}, ${clock.iso(now)})`,
  )
}

async function finish(db: Db, workspace: string, id: string, row_count: number): Promise<void> {
  await db.run(sql`update import_files set row_count = ${row_count} where workspace_id = ${workspace} and id = ${id}`)
}

export async function get(db: Db, workspace: string, id: string): Promise<{ columns: string[]; row_count: number }> {
  const file = await db.maybe<{ columns: string[]; row_count: number }>(
    sql`select columns, row_count from import_files
      where workspace_id = ${workspace} and id = ${id} and row_count is not null for share`,
  )
  if (!file) throw notFound()
  return file
}

/** The next chunks, from the one that begins at this row. */
export const chunksFrom = (db: Db, workspace: string, id: string, row: number, count: number): Promise<Chunk[]> =>
  db.many<Chunk>(
    sql`select first_row, rows from import_chunks
      where workspace_id = ${workspace} and file_id = ${id} and first_row >= ${row} order by first_row limit ${count}`,
  )

/** These rows, in their order, chunk by chunk: each of them may be in another one. */
export async function* readRowsOf<Row extends { row_number: number }>(
  db: Db,
  workspace: string,
  id: string | null,
  rows: Row[],
): AsyncGenerator<{ row: Row; cells: Cells }[]> {
  for (let rest = rows; id !== null && rest.length > 0; ) {
    const chunk = await chunkOf(db, workspace, id, rest[0]?.row_number ?? 0)
    const found = rest.flatMap((row) => {
      const cells = chunk?.rows[row.row_number - chunk.first_row]
      return cells === undefined ? [] : [{ row, cells }]
    })
    if (found.length === 0) return
    yield found
    rest = rest.slice(found.length)
  }
}

/** The chunk that holds this row. */
const chunkOf = (db: Db, workspace: string, id: string, row_number: number): Promise<Chunk | undefined> =>
  db.maybe<Chunk>(
    sql`select first_row, rows from import_chunks
      where workspace_id = ${workspace} and file_id = ${id} and first_row <= ${row_number}
      order by first_row desc limit 1`,
  )

const remove = (db: Db, workspace: string, id: string): Promise<number> =>
  db.run(sql`delete from import_files where workspace_id = ${workspace} and id = ${id}`)

/** Unless an import has taken it over. */
export async function letGo({ db, workspace }: At, id: string): Promise<void> {
  await db.run(
    sql`delete from import_files where workspace_id = ${workspace} and id = ${id}
      and not exists (select from imports where workspace_id = ${workspace} and file_id = ${id})`,
  )
}

/**
 * Those that no import has, and that are older than any upload that may still be under way. One at a time: a file has as many
 * chunks as one statement should remove.
 */
export async function removeUnused(db: Db, workspace: string, before: number, isStopping?: IsStopping): Promise<void> {
  const removeOne = () =>
    db.run(
      sql`delete from import_files where workspace_id = ${workspace} and id = any(array(
        select id from import_files where workspace_id = ${workspace} and created_at < ${clock.iso(before)}
          and not exists (select from imports
            where imports.workspace_id = ${workspace} and imports.file_id = import_files.id)
        order by created_at limit 1))`,
    )
  await inBatches(1, removeOne, isStopping)
}

function checkedHeader(header: string[]): string[] {
  if (header.length > cells_max) throw tooManyColumns('file')
  const place = header.findIndex(hasControlCharactersExceptBreaks)
  if (place === -1) return header
  const message = `The name of column ${place + 1} holds control characters. Is it a text file?`
  throw invalid([{ path: 'file', code: 'invalid_characters', message }])
}

function checkedNames(columns: string[]): string[] {
  if (columns.length > cells_max) throw tooManyColumns('rows')
  if (columns.every(({ length }) => length <= column_name_length_max)) return columns
  const message = `The name of a column may have at most ${column_name_length_max} characters.`
  throw invalid([{ path: 'rows', code: 'too_long', message }])
}

const tooManyColumns = (path: string) =>
  invalid([{ path, code: 'too_many', message: `There may be at most ${cells_max} columns.` }])
