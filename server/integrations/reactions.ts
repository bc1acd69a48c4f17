import * as contacts from '../contacts/store.ts'
import { type At, on, type Reaction } from '../kit/at.ts'
import { named, namesIn } from '../kit/postgres/names.ts'
import { raw, sql } from '../kit/postgres/sql.ts'

export const reactions: Reaction[] = [
  named('integration', namesIn(raw('integrations'), raw('name'))),
  on(contacts.deleted, redactReceipts),
]

/** Erases all but the outcome of the receipts of deleted contacts. */
async function redactReceipts({ db, workspace }: At, deleted: contacts.DeletedContact[]): Promise<void> {
  const contact_ids = deleted.map(({ id }) => id)
  await db.run(
    sql`update integration_receipts set payload = null, reasons = '{}'
      where workspace_id = ${workspace} and contact_id = any(${contact_ids}::uuid[])`,
  )
}
