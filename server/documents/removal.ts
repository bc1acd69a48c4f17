import { type At, inTransaction } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { announce, assertHeld, isHeld, type Lease, type RowWork } from '../kit/work/rows.ts'

const batch_rows = 2_000

/** Deletes passages and words of a deleted document, which are not found any more. */
export const work: RowWork = {
  table: 'deleted_documents',
  begin: async (at, lease) => () => inTransaction(at, (at) => removeBatch(at, lease)),
}

/** Queues the deletion of the passages and words of a document that is deleted in this transaction. */
export async function removeLater(at: At, id: string): Promise<void> {
  const { db, workspace, now } = at
  await db.run(
    sql`insert into deleted_documents (workspace_id, id, due_at) values (${workspace}, ${id}, ${clock.iso(now)})`,
  )
  announce(at, work)
}

async function removeBatch(at: At, lease: Lease): Promise<boolean> {
  const has_removed = await removeEdition(at, { document_id: lease.id, kept: null })
  assertHeld(
    await at.db.run(
      has_removed
        ? sql`update deleted_documents set attempt = 0 where ${isHeld(lease)}`
        : sql`delete from deleted_documents where ${isHeld(lease)}`,
    ),
  )
  return has_removed
}

/** Deletes a batch of an edition that is not this one. Returns whether there was one. */
export async function removeEdition(
  { db, workspace }: At,
  { document_id, kept }: { document_id: string; kept: string | null },
): Promise<boolean> {
  const isOther = sql`workspace_id = ${workspace} and document_id = ${document_id}
    ${kept === null ? raw('') : sql`and edition_id <> ${kept}`}`
  const other = await db.maybe<{ edition_id: string }>(
    sql`select edition_id from document_passages where ${isOther}
      union all select edition_id from document_words where ${isOther} limit 1`,
  )
  if (!other) return false
  const isOfEdition = sql`workspace_id = ${workspace} and document_id = ${document_id} and edition_id = ${other.edition_id}`
  const limit = raw(String(batch_rows))
  await db.run(
    sql`delete from document_passages where workspace_id = ${workspace} and id = any(array(
      select id from document_passages where ${isOfEdition} limit ${limit}))`,
  )
  await db.run(
    sql`delete from document_words where ${isOfEdition} and word = any(array(
      select word from document_words where ${isOfEdition} limit ${limit}))`,
  )
  return true
}
