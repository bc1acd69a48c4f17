import type { InWorkspace } from '../at.ts'
import { raw, sql } from './sql.ts'

const texts_per_chunk = 10_000

/** The different texts of a column, in order. Each chunk is a statement of its own. */
export async function* distinctTexts(
  { db, workspace }: InWorkspace,
  { table, column }: { table: string; column: string },
): AsyncGenerator<string> {
  const name = raw(column)
  let rows: { text: string }[]
  let after = ''
  do {
    rows = await db.many<{ text: string }>(
      sql`select distinct ${name} as text from ${raw(table)} where workspace_id = ${workspace} and ${name} > ${after}
        order by ${name} limit ${texts_per_chunk}`,
    )
    for (const { text } of rows) yield text
    after = rows.at(-1)?.text ?? after
  } while (rows.length === texts_per_chunk)
}
