import { openSearch, type Person } from '../consent/person.ts'
import { numbersOfText } from '../contacts/phone.ts'
import type { At, InWorkspace } from '../kit/at.ts'
import type { IdRange } from '../kit/postgres/page-by-id.ts'
import { type Sql, sql } from '../kit/postgres/sql.ts'
import type { Receipt } from './schema.ts'

/** An SQL condition: a receipt belongs to no contact, because it was refused, and names the person. */
const isRefusedAndNames = (person: Person): Sql => {
  const text = sql`(coalesce(payload::text, '') || ' ' || array_to_string(reasons, ' '))`
  return sql`(contact_id is null and ${openSearch(person).mayMatch(text)})`
}

/** What integrations have received about the person, in the order of the ids. */
export const listOf = ({ db, workspace }: InWorkspace, person: Person, { after, limit }: IdRange) =>
  db.many<Receipt & { integration_id: string }>(
    sql`select id, integration_id, outcome, reasons, contact_id, payload, received_at from integration_receipts
      where workspace_id = ${workspace} and id > ${after}
        and (contact_id = any(${person.contact_ids}::uuid[]) or ${isRefusedAndNames(person)})
      order by id limit ${limit}`,
  )

/**
 * Receipts that name the person and belong to no contact, because they were refused, keep only their outcome. One statement is enough: an
 * integration has few receipts.
 */
export async function eraseReceipts({ db, workspace }: At, person: Person): Promise<void> {
  const found = await db.many<{ id: string }>(
    sql`select id from integration_receipts where workspace_id = ${workspace} and ${isRefusedAndNames(person)}`,
  )
  if (found.length === 0) return
  await db.run(
    sql`update integration_receipts set payload = null, reasons = '{}'
      where workspace_id = ${workspace} and id = any(${found.map(({ id }) => id)}::uuid[])`,
  )
}

/** The numbers in payloads that belong to no contact, whatever field they are in. */
export async function* numbersIn({ db, workspace }: At): AsyncGenerator<string> {
  const used = await db.many<{ country: string | null }>(
    sql`select distinct default_country as country from integrations where workspace_id = ${workspace}`,
  )
  const countries = used.map(({ country }) => country)
  const receipts = await db.many<{ payload: unknown }>(
    sql`select payload from integration_receipts
      where workspace_id = ${workspace} and contact_id is null and payload is not null`,
  )
  for (const { payload } of receipts) for (const text of textsIn(payload)) yield* numbersOfText(text, countries)
}

function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string' || typeof value === 'number') yield String(value)
  if (typeof value === 'object' && value !== null) for (const member of Object.values(value)) yield* textsIn(member)
}
