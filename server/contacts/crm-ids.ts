import * as events from '../events/store.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { onUniqueViolation } from '../kit/postgres/errors.ts'
import { sql } from '../kit/postgres/sql.ts'
import { inUse, notFound } from '../kit/problem.ts'
import { event_types } from './event-types.ts'
import type { ContactWithCrmIds } from './schema.ts'
import { type Change, columns, lockOne } from './store.ts'

export interface CrmChange extends Omit<Change, 'change'> {
  system: string
  /** undefined removes it. */
  crm_id: string | undefined
}

/** Counts as an update of the contact. Throws when another contact has the id in that system. */
export async function setCrmId(at: At, change: CrmChange): Promise<ContactWithCrmIds> {
  const { db, workspace, now } = at
  const { id, system, crm_id } = change
  const before = await lockOne(at, change)
  if (crm_id === undefined) {
    const removed = await db.run(
      sql`delete from contact_crm_ids where workspace_id = ${workspace} and contact_id = ${id} and system = ${system}`,
    )
    if (removed === 0) throw notFound()
  } else {
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
  const crm_ids = crm_id === undefined ? sql`crm_ids - ${system}::text` : sql`crm_ids || ${{ [system]: crm_id }}::jsonb`
  const after = await db.one<ContactWithCrmIds>(
    sql`update contacts set crm_ids = ${crm_ids}, updated_at = ${clock.laterThan(before.updated_at, now)}
      where workspace_id = ${workspace} and id = ${id}
      returning ${columns}, crm_ids`,
  )
  await events.record(at, event_types.updated, [{ data: after, previous: { crm_ids: before.crm_ids } }])
  return after
}

/** The id of the contact that has this id in that system. */
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
  inUse('id', 'Another contact has this id in that system.', holder)
