import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { hasControlCharactersExceptBreaks } from '../kit/http/validate-text.ts'
import { newId } from '../kit/id.ts'
import { sql } from '../kit/postgres/sql.ts'
import { uploadsIn } from '../kit/postgres/uploads.ts'
import { invalid, notFound } from '../kit/problem.ts'
import { column_name_length_max, uniqueColumnNames } from './match-columns.ts'
import { cells_max, readRows } from './parse-csv.ts'

const { remove, ...others } = uploadsIn({ files: 'import_files', users: 'imports' })
export const { discard, removeUnused } = others

/** A chunk has this many rows, and a batch imports one chunk. */
const chunk_rows = 500
/** Limits the JSON of a chunk, in bytes. */
const chunk_length = 1024 * 1024

/** The cells of a row. They are null after its contact was deleted. */
export type Cells = string[] | null

export interface Chunk {
  first_row: number
  rows: Cells[]
}

/** Parses a file while it arrives, and stores its rows. Stores nothing if the file can't be parsed. */
export async function store(at: At, bytes: AsyncIterable<Buffer>): Promise<string> {
  const id = newId()
  try {
    const chunks = openChunkWriter(at, id)
    let columns: string[] | undefined
    for await (const rows of readRows(bytes)) {
      const header = columns ? undefined : rows.shift()
      if (header) {
        columns = uniqueColumnNames(checkHeader(header))
        await insert(at, id, columns)
      }
      for (const cells of rows) await chunks.add(cells)
    }
    if (!columns) throw invalid([{ path: 'file', code: 'required', message: 'The file is empty.' }])
    await finish(at, id, await chunks.end())
    return id
  } catch (error) {
    // A file that can't be deleted now is deleted by retention. The client gets the first error.
    await Promise.allSettled([remove(at, id)])
    throw error
  }
}

/** Stores rows that came as JSON. */
export async function storeRows(at: At, rows: Record<string, string | null>[]): Promise<string> {
  const id = newId()
  const columns = checkNames([...new Set(rows.flatMap((row) => Object.keys(row)))])
  await insert(at, id, columns)
  const chunks = openChunkWriter(at, id)
  for (const row of rows) await chunks.add(columns.map((column) => row[column] ?? ''))
  await finish(at, id, await chunks.end())
  return id
}

/** Writes one chunk at a time, and collects the next one meanwhile. */
function openChunkWriter({ db, workspace }: At, file_id: string) {
  // Rows are kept as JSON, because a cell is a slice that would keep the whole text in memory.
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
    // An error is thrown where `writing` is awaited.
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

async function insert({ db, workspace, now }: At, id: string, columns: string[]): Promise<void> {
  await db.run(
    sql`insert into import_files (workspace_id, id, columns, created_at)
      values (${workspace}, ${id}, ${columns}, ${clock.iso(now)})`,
  )
}

async function finish({ db, workspace }: At, id: string, row_count: number): Promise<void> {
  await db.run(sql`update import_files set row_count = ${row_count} where workspace_id = ${workspace} and id = ${id}`)
}

export async function get({ db, workspace }: At, id: string): Promise<{ columns: string[]; row_count: number }> {
  const file = await db.maybe<{ columns: string[]; row_count: number }>(
    sql`select columns, row_count from import_files
      where workspace_id = ${workspace} and id = ${id} and row_count is not null for share`,
  )
  if (!file) throw notFound()
  return file
}

/** Reads the next chunks, beginning with the one that starts at this row. */
export const listChunks = (
  { db, workspace }: At,
  { id, row, count }: { id: string; row: number; count: number },
): Promise<Chunk[]> =>
  db.many<Chunk>(
    sql`select first_row, rows from import_chunks
      where workspace_id = ${workspace} and file_id = ${id} and first_row >= ${row} order by first_row limit ${count}`,
  )

/** Reads the cells of these rows in order, chunk by chunk. */
export async function* readCells<Row extends { row_number: number }>(
  at: At,
  { id, rows }: { id: string | null; rows: Row[] },
): AsyncGenerator<{ row: Row; cells: Cells }[]> {
  for (let remaining = rows; id !== null && remaining.length > 0; ) {
    const chunk = await chunkWith(at, id, remaining[0]?.row_number ?? 0)
    const found = remaining.flatMap((row) => {
      const cells = chunk?.rows[row.row_number - chunk.first_row]
      return cells === undefined ? [] : [{ row, cells }]
    })
    if (found.length === 0) return
    yield found
    remaining = remaining.slice(found.length)
  }
}

/** Finds the chunk that contains this row. */
const chunkWith = ({ db, workspace }: At, id: string, row_number: number): Promise<Chunk | undefined> =>
  db.maybe<Chunk>(
    sql`select first_row, rows from import_chunks
      where workspace_id = ${workspace} and file_id = ${id} and first_row <= ${row_number}
      order by first_row desc limit 1`,
  )

function checkHeader(header: string[]): string[] {
  if (header.length > cells_max) throw tooManyColumns('file')
  const index = header.findIndex(hasControlCharactersExceptBreaks)
  if (index === -1) return header
  const message = `The name of column ${index + 1} contains control characters. Is this a text file?`
  throw invalid([{ path: 'file', code: 'invalid_characters', message }])
}

function checkNames(columns: string[]): string[] {
  if (columns.length > cells_max) throw tooManyColumns('rows')
  if (columns.every(({ length }) => length <= column_name_length_max)) return columns
  const message = `A column name may have at most ${column_name_length_max} characters.`
  throw invalid([{ path: 'rows', code: 'too_long', message }])
}

const tooManyColumns = (path: string) =>
  invalid([{ path, code: 'too_many', message: `A file may have at most ${cells_max} columns.` }])
