import { type InWorkspace, inTransaction } from '../kit/at.ts'
import { type IsStopping, inBatches } from '../kit/postgres/in-batches.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import * as search_index from './search-index.ts'
import * as contacts from './store.ts'

/*
 * Writes the texts again that have no line for the company. Versions before companies were searched wrote these, and still
 * do so while they run beside this one.
 */

/** Their contacts are locked for one transaction. */
const texts_per_batch = 200

/** The condition of the index `contact_texts_without_company`. */
const lacks_company = raw(String.raw`text not like E'%\n%\n%\n%\n%'`)

/** Workspaces with such texts. */
export const workspacesWithoutCompanies = ({ db }: Pick<InWorkspace, 'db'>): Promise<{ workspace_id: string }[]> =>
  db.many(sql`select distinct workspace_id from contact_texts where ${lacks_company}`)

export function addCompanies(at: InWorkspace, isStopping?: IsStopping): Promise<number> {
  let last = '00000000-0000-0000-0000-000000000000'
  return inBatches(
    texts_per_batch,
    async () => {
      const batch = await inTransaction(at, (at) => addToBatch(at, last))
      last = batch.last ?? last
      return batch.count
    },
    isStopping,
  )
}

/** The index has what was rewritten until the next vacuum, so a batch begins after the last text of the one before. */
async function addToBatch(at: InWorkspace, after: string): Promise<{ count: number; last: string | undefined }> {
  const rows = await at.db.many<{ id: string }>(
    sql`select id from contact_texts where workspace_id = ${at.workspace} and id > ${after} and ${lacks_company}
      order by id limit ${texts_per_batch}`,
  )
  const locked = await contacts.lock(
    at,
    rows.map(({ id }) => id),
  )
  await search_index.rewriteTexts(at, [...locked.values()])
  return { count: rows.length, last: rows.at(-1)?.id }
}
