import { openSearch, type Person } from '../consent/person.ts'
import type { At } from '../kit/at.ts'
import { sql } from '../kit/postgres/sql.ts'

/**
 * Receipts that name the person and belong to no contact, because they were refused, keep only their outcome. One statement is enough: an
 * integration has few receipts.
 */
export async function eraseReceipts({ db, workspace }: At, person: Person): Promise<void> {
  const { mayMatch } = openSearch(person)
  const text = sql`(coalesce(payload::text, '') || ' ' || array_to_string(reasons, ' '))`
  const found = await db.many<{ id: string }>(
    sql`select id from integration_receipts where workspace_id = ${workspace} and contact_id is null and ${mayMatch(text)}`,
  )
  if (found.length === 0) return
  await db.run(
    sql`update integration_receipts set payload = null, reasons = '{}'
      where workspace_id = ${workspace} and id = any(${found.map(({ id }) => id)}::uuid[])`,
  )
}
