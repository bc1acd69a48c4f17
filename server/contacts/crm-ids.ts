import * as events from '../events/store.ts'
import type { At } from '../kit/at.ts'
import { onUniqueViolation } from '../kit/postgres/errors.ts'
import { sql } from '../kit/postgres/sql.ts'
import { inUse, notFound } from '../kit/problem.ts'
import { event_types } from './event-types.ts'
import { updateCrmId } from './rows.ts'
import type { ContactWithCrmIds } from './schema.ts'
import { type ContactUpdate, lockOne } from './store.ts'

export interface CrmIdUpdate extends Omit<ContactUpdate, 'change'> {
  system: string
  /** `undefined` removes the id. */
  crm_id: string | undefined
}

/** Counts as an update of the contact. Throws if another contact has the same id in this system. */
export async function setCrmId(at: At, update: CrmIdUpdate): Promise<ContactWithCrmIds> {
  const { id, system, crm_id } = update
  const before = await lockOne(at, update)
  await (crm_id === undefined ? deleteRow(at, { id, system }) : upsertRow(at, { id, system, crm_id }))
  const after = await updateCrmId(at, before, update)
  await events.record(at, event_types.updated, [{ data: after, previous: { crm_ids: before.crm_ids } }])
  return after
}

async function deleteRow({ db, workspace }: At, { id, system }: { id: string; system: string }): Promise<void> {
  const deleted = await db.run(
    sql`delete from contact_crm_ids where workspace_id = ${workspace} and contact_id = ${id} and system = ${system}`,
  )
  if (deleted === 0) throw notFound()
}

async function upsertRow(at: At, row: { id: string; system: string; crm_id: string }): Promise<void> {
  const { db, workspace } = at
  const { id, system, crm_id } = row
  const holder = await findByCrmId(at, { system, crm_id })
  if (holder !== undefined && holder !== id) throw crmIdInUse(holder)
  await db
    .run(
      sql`insert into contact_crm_ids (workspace_id, contact_id, system, crm_id)
        values (${workspace}, ${id}, ${system}, ${crm_id})
        on conflict (workspace_id, contact_id, system) do update set crm_id = excluded.crm_id`,
    )
    .catch(onUniqueViolation(() => crmIdInUse(undefined)))
}

/** Returns the id of the contact that has this CRM id. */
export async function findByCrmId(
  { db, workspace }: At,
  { system, crm_id }: { system: string; crm_id: string },
): Promise<string | undefined> {
  const holder = await db.maybe<{ contact_id: string }>(
    sql`select contact_id from contact_crm_ids
      where workspace_id = ${workspace} and system = ${system} and crm_id = ${crm_id}`,
  )
  return holder?.contact_id
}

export const crmIdInUse = (holder: string | undefined) =>
  inUse('id', 'Another contact has this id in the same CRM system.', holder)
