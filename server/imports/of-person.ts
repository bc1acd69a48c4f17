import { openSearch, type Person } from '../consent/person.ts'
import type { At } from '../kit/at.ts'
import { firstIdOf } from '../kit/id.ts'
import { sql } from '../kit/postgres/sql.ts'
import type { Cells } from './files.ts'

/** A chunk has up to a megabyte. */
const chunks_per_batch = 5
const erased = 'The person in this row was erased.'

/** The chunk of an upload that a search has come to. */
export interface UploadPosition {
  file_id: string
  first_row: number
}

/**
 * Removes rows that name the person from uploaded files, also when they were refused or never imported, and what reports say about them. A row with
 * the email address alone is removed only when it was refused: it may be someone else's. Returns where the next batch begins, or undefined after the last one.
 */
export async function eraseFromUploads(
  at: At,
  person: Person,
  after: UploadPosition = { file_id: firstIdOf(0), first_row: 0 },
): Promise<UploadPosition | undefined> {
  const { db, workspace } = at
  const { mayMatch } = openSearch(person)
  const chunks = await db.many<UploadPosition & { may_match: boolean }>(
    sql`select file_id, first_row, ${mayMatch(sql`rows::text`)} as may_match from import_chunks
      where workspace_id = ${workspace} and (file_id, first_row) > (${after.file_id}, ${after.first_row})
      order by file_id, first_row limit ${chunks_per_batch}`,
  )
  for (const { may_match, ...position } of chunks) if (may_match) await eraseFromChunk(at, person, position)
  return chunks.length < chunks_per_batch ? undefined : chunks.at(-1)
}

async function eraseFromChunk(at: At, person: Person, { file_id, first_row }: UploadPosition): Promise<void> {
  const { db, workspace } = at
  const this_chunk = sql`workspace_id = ${workspace} and file_id = ${file_id} and first_row = ${first_row}`
  const chunk = await db.maybe<{ rows: Cells[] }>(sql`select rows from import_chunks where ${this_chunk} for update`)
  if (!chunk) return
  const { hasNumber, hasEmail } = openSearch(person)
  const having = (has: (text: string) => boolean): number[] =>
    chunk.rows.flatMap((cells, index) => (cells?.some(has) ? [first_row + index] : []))
  const of_file = sql`import_id = any(array(select id from imports
    where imports.workspace_id = ${workspace} and imports.file_id = ${file_id}))`
  const refused = await db.many<{ row_number: number }>(
    sql`select row_number from import_rows where workspace_id = ${workspace} and ${of_file} and outcome = 'refused'
      and row_number = any(${having(hasEmail)}::integer[])`,
  )
  const erased_rows = new Set([...having(hasNumber), ...refused.map(({ row_number }) => row_number)])
  if (erased_rows.size === 0) return
  const kept = chunk.rows.map((cells, index) => (erased_rows.has(first_row + index) ? null : cells))
  await Promise.all([
    db.run(sql`update import_chunks set rows = ${JSON.stringify(kept)} where ${this_chunk}`),
    db.run(
      sql`update import_rows set before = null, reason = case when outcome = 'refused' then ${erased} else reason end
        where workspace_id = ${workspace} and ${of_file} and row_number = any(${[...erased_rows]}::integer[])`,
    ),
  ])
}

/** Removes the numbers that dry runs remember until they have ended. */
export const forgetNumbers = ({ db, workspace }: At, { phone_numbers }: Person): Promise<number> =>
  db.run(
    sql`delete from import_numbers where workspace_id = ${workspace} and phone_number = any(${phone_numbers}::text[])`,
  )
