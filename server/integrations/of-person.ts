import { openSearch, type Person } from '../consent/person.ts'
import { numbersOfText } from '../contacts/phone.ts'
import type { At, InWorkspace } from '../kit/at.ts'
import type { IdRange } from '../kit/postgres/page-by-id.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import type { Receipt } from './schema.ts'

const columns = raw('id, integration_id, outcome, reasons, contact_id, payload, received_at')
type FoundReceipt = Receipt & { integration_id: string }

/**
 * Opens a search for receipts that name the person. A refused receipt belongs to no contact, but may name the person
 * all the same.
 */
function openNaming(person: Person) {
  const { mayMatch, hasNumber, hasEmail } = openSearch(person)
  const text = sql`(coalesce(payload::text, '') || ' ' || array_to_string(reasons, ' '))`
  return {
    mayName: sql`(contact_id is null and ${mayMatch(text)})`,
    names: ({ contact_id, payload, reasons }: Pick<FoundReceipt, 'contact_id' | 'payload' | 'reasons'>): boolean =>
      contact_id === null && [...textsIn(payload), ...reasons].some((one) => hasNumber(one) || hasEmail(one)),
  }
}

/** Returns what integrations have received about the person, in the order of the ids. */
export async function listOf(at: InWorkspace, person: Person, { after, limit }: IdRange): Promise<FoundReceipt[]> {
  const { db, workspace } = at
  const { mayName, names } = openNaming(person)
  const found: FoundReceipt[] = []
  for (let last = after; ; ) {
    const rows = await db.many<FoundReceipt>(
      sql`select ${columns} from integration_receipts
        where workspace_id = ${workspace} and id > ${last}
          and (contact_id = any(${person.contact_ids}::uuid[]) or ${mayName})
        order by id limit ${limit}`,
    )
    found.push(...rows.filter((row) => row.contact_id !== null || names(row)))
    last = rows.at(-1)?.id ?? last
    if (rows.length < limit || found.length >= limit) return found.slice(0, limit)
  }
}

/**
 * Erases all but the outcome of refused receipts that name the person and belong to no contact. One statement is
 * enough, because an integration has few receipts.
 */
export async function eraseReceipts({ db, workspace }: At, person: Person): Promise<void> {
  const { mayName, names } = openNaming(person)
  const found = await db.many<FoundReceipt>(
    sql`select ${columns} from integration_receipts where workspace_id = ${workspace} and ${mayName}`,
  )
  const ids = found.filter(names).map(({ id }) => id)
  if (ids.length === 0) return
  await db.run(
    sql`update integration_receipts set payload = null, reasons = '{}'
      where workspace_id = ${workspace} and id = any(${ids}::uuid[])`,
  )
}

/** Yields the numbers in payloads that belong to no contact, whatever field they are in. */
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
