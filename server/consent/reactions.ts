import * as contacts from '../contacts/store.ts'
import { type At, on, type Reaction } from '../kit/at.ts'
import { sql } from '../kit/postgres/sql.ts'

export const reactions: Reaction[] = [on(contacts.deleted, removeContactIds)]

/** Removes the ids of deleted contacts. The entries stay: an opt-out outlives the contact. */
async function removeContactIds({ db, workspace }: At, deleted: contacts.DeletedContact[]): Promise<void> {
  const contact_ids = deleted.map(({ id }) => id)
  await db.run(
    sql`update consents set contact_id = null
      where workspace_id = ${workspace} and contact_id = any(${contact_ids}::uuid[])`,
  )
}
