import { openSearch, type Person } from '../consent/person.ts'
import { numbersOfText } from '../contacts/phone.ts'
import type { At, InWorkspace } from '../kit/at.ts'
import { firstIdOf } from '../kit/id.ts'
import { distinctTexts } from '../kit/postgres/distinct-texts.ts'
import { raw, type Sql, sql } from '../kit/postgres/sql.ts'
import type { Cells } from './files.ts'

/** A batch has this many chunks, each of up to a megabyte. */
const chunks_per_batch = 5
const erased = 'The person in this row was erased.'

/** The chunk of an upload at which a search has arrived. */
export interface UploadPosition {
  file_id: string
  first_row: number
}

/**
 * Removes rows that name the person from uploaded files, also rows that were refused or never imported, and what
 * reports say about them. A row with the email address alone is removed only when it was refused: it may be someone
 * else's. Returns where the next batch begins, or undefined after the last one.
 */
export async function eraseFromUploads(
  at: At,
  person: Person,
  after?: UploadPosition,
): Promise<UploadPosition | undefined> {
  const { found, next } = await searchUploads(at, person, after)
  for (const position of found) await eraseFromChunk(at, person, position)
  return next
}

/** A row of an upload that names the person. */
export interface UploadedRow {
  file_id: string
  row_number: number
  /** The values by the names of the columns. */
  values: Record<string, string>
}

/** Lists the rows that `eraseFromUploads` would remove, in the next uploads, and where to go on. */
export async function listFromUploads(
  at: InWorkspace,
  person: Person,
  after?: UploadPosition,
): Promise<{ rows: UploadedRow[]; next: UploadPosition | undefined }> {
  const { found, next } = await searchUploads(at, person, after)
  const rows: UploadedRow[] = []
  for (const position of found) {
    const named = await findInChunk(at, person, position)
    if (!named || named.row_numbers.size === 0) continue
    const { columns } = await at.db.one<{ columns: string[] }>(
      sql`select columns from import_files where workspace_id = ${at.workspace} and id = ${position.file_id}`,
    )
    for (const row_number of named.row_numbers) {
      const cells = named.rows[row_number - position.first_row] ?? []
      // Cells beyond the columns have no name.
      const values = Object.fromEntries(cells.map((cell, index) => [columns[index] ?? `column_${index + 1}`, cell]))
      rows.push({ file_id: position.file_id, row_number, values })
    }
  }
  return { rows, next }
}

async function searchUploads(
  { db, workspace }: InWorkspace,
  person: Person,
  after: UploadPosition = { file_id: firstIdOf(0), first_row: 0 },
): Promise<{ found: UploadPosition[]; next: UploadPosition | undefined }> {
  const { mayMatch } = openSearch(person)
  const chunks = await db.many<UploadPosition & { may_match: boolean }>(
    sql`select file_id, first_row, ${mayMatch(sql`rows::text`)} as may_match from import_chunks
      where workspace_id = ${workspace} and (file_id, first_row) > (${after.file_id}, ${after.first_row})
      order by file_id, first_row limit ${chunks_per_batch}`,
  )
  const found = chunks.filter(({ may_match }) => may_match)
  return { found, next: chunks.length < chunks_per_batch ? undefined : chunks.at(-1) }
}

const chunkAt = (workspace: string, { file_id, first_row }: UploadPosition): Sql =>
  sql`workspace_id = ${workspace} and file_id = ${file_id} and first_row = ${first_row}`

const ofFile = (workspace: string, file_id: string): Sql =>
  sql`import_id = any(array(select id from imports
    where imports.workspace_id = ${workspace} and imports.file_id = ${file_id}))`

/** Finds the numbers of the rows that name the person, in the chunk with these rows. */
async function findInChunk(
  { db, workspace }: InWorkspace,
  person: Person,
  position: UploadPosition,
  locking = raw(''),
): Promise<{ rows: Cells[]; row_numbers: Set<number> } | undefined> {
  const { file_id, first_row } = position
  const chunk = await db.maybe<{ rows: Cells[] }>(
    sql`select rows from import_chunks where ${chunkAt(workspace, position)} ${locking}`,
  )
  if (!chunk) return undefined
  const { hasNumber, hasEmail } = openSearch(person)
  const having = (has: (text: string) => boolean): number[] =>
    chunk.rows.flatMap((cells, index) => (cells?.some(has) ? [first_row + index] : []))
  const refused = await db.many<{ row_number: number }>(
    sql`select row_number from import_rows where workspace_id = ${workspace} and ${ofFile(workspace, file_id)}
      and outcome = 'refused' and row_number = any(${having(hasEmail)}::integer[])`,
  )
  const row_numbers = new Set([...having(hasNumber), ...refused.map(({ row_number }) => row_number)])
  return { rows: chunk.rows, row_numbers }
}

async function eraseFromChunk(at: At, person: Person, position: UploadPosition): Promise<void> {
  const { db, workspace } = at
  const named = await findInChunk(at, person, position, raw('for update'))
  if (!named || named.row_numbers.size === 0) return
  const { rows, row_numbers } = named
  const kept = rows.map((cells, index) => (row_numbers.has(position.first_row + index) ? null : cells))
  await Promise.all([
    db.run(sql`update import_chunks set rows = ${JSON.stringify(kept)} where ${chunkAt(workspace, position)}`),
    db.run(
      sql`update import_rows set before = null, reason = case when outcome = 'refused' then ${erased} else reason end
        where workspace_id = ${workspace} and ${ofFile(workspace, position.file_id)}
          and row_number = any(${[...row_numbers]}::integer[])`,
    ),
  ])
}

/** Removes the numbers that dry runs remember until they have ended. */
export const forgetNumbers = ({ db, workspace }: At, { phone_numbers }: Person): Promise<number> =>
  db.run(
    sql`delete from import_numbers where workspace_id = ${workspace} and phone_number = any(${phone_numbers}::text[])`,
  )

/** Lists the numbers in uploaded files, whatever column they are in. */
export async function* numbersIn(at: At): AsyncGenerator<string> {
  const { db, workspace } = at
  const used = await db.many<{ country: string | null }>(
    sql`select distinct default_country as country from imports where workspace_id = ${workspace}`,
  )
  const countries = used.map(({ country }) => country)
  let after: UploadPosition = { file_id: firstIdOf(0), first_row: 0 }
  for (;;) {
    const chunks = await db.many<UploadPosition & { rows: Cells[] }>(
      sql`select file_id, first_row, rows from import_chunks
        where workspace_id = ${workspace} and (file_id, first_row) > (${after.file_id}, ${after.first_row})
        order by file_id, first_row limit ${chunks_per_batch}`,
    )
    for (const { rows } of chunks)
      for (const cell of rows.flatMap((cells) => cells ?? [])) yield* numbersOfText(cell, countries)
    const last = chunks.at(-1)
    if (!last || chunks.length < chunks_per_batch) break
    after = last
  }
  yield* distinctTexts(at, { table: 'import_numbers', column: 'phone_number' })
}
