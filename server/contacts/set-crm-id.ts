import type { At } from '../kit/at.ts'
import { notFound, Problem } from '../kit/problem.ts'
import { crmIdInUse } from './crm-ids.ts'
import type { ContactWithCrmIds } from './schema.ts'
import { type ContactUpdate, lockOne, update } from './store.ts'

export interface CrmIdUpdate extends Omit<ContactUpdate, 'change'> {
  system: string
  /** `undefined` removes the id. */
  crm_id: string | undefined
}

/** Sets or removes a CRM id, as an update of the contact. Throws if another contact has the same id in this system. */
export async function setCrmId(at: At, { system, crm_id, ...contact }: CrmIdUpdate): Promise<ContactWithCrmIds> {
  const { crm_ids } = await lockOne(at, contact)
  if (crm_id === undefined && !Object.hasOwn(crm_ids, system)) throw notFound()
  const [updated = notFound()] = await update(at, [{ ...contact, change: { crm_ids: { [system]: crm_id ?? null } } }])
  if (!(updated instanceof Problem)) return updated
  // The error names the field `id`, which the body of this request has.
  if (updated.code === 'CONFLICT') throw crmIdInUse('id', String(updated.details.existing_id))
  throw updated
}
