import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import * as page from '../kit/postgres/page.ts'
import { sql } from '../kit/postgres/sql.ts'
import { storable } from '../kit/text.ts'
import type { Receipt, ReceiptQuery } from './schema.ts'
import * as integrations from './store.ts'

const receipts_per_integration_max = 50
const payload_bytes_max = 64 * 1024
const newest_first: page.Sort = { ...page.newest_first, name: '-received_at', column: 'received_at' }

export async function list(at: At, { id, query }: { id: string; query: ReceiptQuery }): Promise<page.Page<Receipt>> {
  const { db, workspace } = at
  await integrations.get(at, id)
  const latest = sql`select id, outcome, reasons, contact_id, payload, received_at from integration_receipts
    where workspace_id = ${workspace} and integration_id = ${id} order by id desc limit ${receipts_per_integration_max}`
  const matching = sql`select * from (${latest}) as latest where ${query.outcome ?? null}::text is null
    or outcome = ${query.outcome ?? null}`
  return page.readSelection(db, query, newest_first, matching)
}

/** Stores a receipt, and deletes all but the last 50. */
export async function record(
  { db, workspace, now }: At,
  { integration_id, ...receipt }: Omit<Receipt, 'received_at'> & { integration_id: string },
): Promise<void> {
  const { id, outcome, reasons, contact_id, payload } = receipt
  const json = payload === undefined ? null : JSON.stringify(payload)
  const stored_payload = json !== null && Buffer.byteLength(json) <= payload_bytes_max ? json : null
  await db.run(
    sql`insert into integration_receipts (workspace_id, integration_id, id, outcome, reasons, contact_id, payload,
        received_at)
      values (${workspace}, ${integration_id}, ${id}, ${outcome}, ${reasons.map(storable)}, ${contact_id}, ${stored_payload},
        ${clock.iso(now)})`,
  )
  await db.run(
    sql`delete from integration_receipts where workspace_id = ${workspace} and integration_id = ${integration_id}
      and id <= (select id from integration_receipts
        where workspace_id = ${workspace} and integration_id = ${integration_id}
        order by id desc offset ${receipts_per_integration_max} limit 1)`,
  )
}
