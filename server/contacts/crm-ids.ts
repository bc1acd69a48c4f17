import * as events from '../events/store.ts'
import * as clock from '../kit/clock.ts'
import { onUniqueViolation } from '../kit/postgres/errors.ts'
import type { Db } from '../kit/postgres/pool.ts'
import { sql } from '../kit/postgres/sql.ts'
import { inUse, notFound } from '../kit/problem.ts'
import type { ContactWithCrmIds } from './schema.ts'
import { type Change, columns, lockOne } from './store.ts'

export interface CrmChange extends Omit<Change, 'change'> {
  system: string
  /** undefined takes it away. */
  crm_id: string | undefined
}

/** Counts as an update of the contact. An id that another contact has in that system is refused. */
export async function setCrmId(db: Db, workspace: string, change: CrmChange, now: number): Promise<ContactWithCrmIds> {
  const { id, system, crm_id, is_current } = change
  const before = await lockOne(db, workspace, id, is_current)
  if (crm_id === undefined) {
    const removed = await db.run(
      sql`delete from contact_crm_ids where workspace_id = ${workspace} and contact_id = ${id} and system = ${system}`,
    )
    if (removed === 0) throw notFound()
  } else {
    const holder = await crmIdHolder(db, workspace, system, crm_id)
    if (holder !== undefined && holder !== id) throw crmIdInUse(holder)
    await db
      .run(
        sql`insert into contact_crm_ids (workspace_id, contact_id, system, crm_id)
          values (${workspace}, ${id}, ${system}, ${crm_id})
          on conflict (workspace_id, contact_id, system) do update set crm_id = excluded.crm_id`,
      )
      .catch(onUniqueViolation(() => crmIdInUse(undefined)))
  }
  const crm_ids = crm_id === undefined ? sql`crm_ids - ${system}::text` : sql`crm_ids || ${{ [system]: crm_id }}::jsonb`
  const after = await db.one<ContactWithCrmIds>(
    sql`update contacts set crm_ids = ${crm_ids}, updated_at = ${clock.laterThan(before.updated_at, now)}
      where workspace_id = ${workspace} and id = ${id}
      returning ${columns}, crm_ids`,
  )
  await events.record(db, workspace, 'contact.updated', [{ data: after, previous: { crm_ids: before.crm_ids } }], now)
  return after
}

export async function crmIdHolder(
  db: Db,
  workspace: string,
  system: string,
  crm_id: string,
): Promise<string | undefined> {
  const holder = await db.maybe<{ contact_id: string }>(
    sql`select contact_id from contact_crm_ids
      where workspace_id = ${workspace} and system = ${system} and crm_id = ${crm_id}`,
  )
  return holder?.contact_id
}

export const crmIdInUse = (holder: string | undefined) =>
  inUse('id', 'Another contact has this id in that system.', holder)
