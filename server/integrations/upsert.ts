import { crmIdInUse, findByCrmId, setCrmId } from '../contacts/crm-ids.ts'
import { changedFields } from '../contacts/parse.ts'
import type { ContactWithCrmIds, NewContact } from '../contacts/schema.ts'
import * as contacts from '../contacts/store.ts'
import type { At } from '../kit/at.ts'
import { Problem } from '../kit/problem.ts'
import { type Mapping, numberOf, read } from './map-payload.ts'
import type { DryRun, Sample } from './schema.ts'
import * as integrations from './store.ts'

const races_max = 3

type Done =
  | { outcome: 'created' | 'updated' | 'unchanged'; contact_id: string; problem?: undefined }
  | { problem: Problem; contact_id: string | null }

/** Creates the contact that a payload speaks of, or updates the one that has its number. Writes nothing when it refuses. */
export async function upsert(at: At, payload: unknown, mapping: Mapping, race = 1): Promise<Done> {
  const plan = await planFor(at, payload, mapping)
  if ('problem' in plan) return plan
  const { contact, crm_ids, before } = plan
  const change = before && changedFields(contact, before)
  const [written] = !before
    ? await contacts.create(at, [{ ...contact, source: 'webhook' }])
    : change
      ? await contacts.update(at, [{ id: before.id, change, is_current: () => true }])
      : [before]
  if (!written || written instanceof Problem) {
    // Somebody took the number, or deleted the contact, since it was looked for.
    if (race < races_max) return upsert(at, payload, mapping, race + 1)
    throw written ?? new Error('neither a contact nor why')
  }
  for (const [system, crm_id] of crm_ids) {
    await setCrmId(at, { id: written.id, system, crm_id, is_current: () => true })
  }
  return { outcome: outcomeOf(plan), contact_id: written.id }
}

interface Plan {
  contact: NewContact
  /** Those that the contact has not yet. */
  crm_ids: [string, string][]
  before: ContactWithCrmIds | undefined
}

function outcomeOf({ contact, crm_ids, before }: Plan): 'created' | 'updated' | 'unchanged' {
  if (!before) return 'created'
  return changedFields(contact, before) || crm_ids.length > 0 ? 'updated' : 'unchanged'
}

/** What is to be done, with the contact held that it concerns. */
async function planFor(
  at: At,
  payload: unknown,
  mapping: Mapping,
): Promise<Plan | { problem: Problem; contact_id: string | null }> {
  const meant = read(payload, mapping)
  const number = meant instanceof Problem ? numberOf(payload, mapping) : meant.contact.phone_number
  const claimed = meant instanceof Problem ? [] : Object.entries(meant.crm_ids)
  // Before the number's holder: a contact that got both meanwhile is then seen as that, too.
  const claimants = await Promise.all(claimed.map(([system, id]) => findByCrmId(at, { system, crm_id: id })))
  const others = claimants.filter((id) => id !== undefined)
  const holder = number === undefined ? undefined : (await contacts.idsByNumber(at, [number])).get(number)
  // Also what is refused is forgotten with the contact of which it speaks, should it be deleted at this moment.
  const held = await contacts.lock(at, holder === undefined ? others : [holder, ...others])
  const before = holder === undefined ? undefined : held.get(holder)
  if (meant instanceof Problem) return { problem: meant, contact_id: before?.id ?? null }
  const other = others.find((id) => id !== holder && held.has(id))
  if (other !== undefined) return { problem: crmIdInUse(other), contact_id: before?.id ?? other }
  const crm_ids = claimed.filter(([system, id]) => before?.crm_ids[system] !== id)
  return { contact: meant.contact, crm_ids, before }
}

/** What a sample would do, with the field map of the integration or the one that comes along. */
export async function dryRun(at: At, { id, sample, ...given }: Sample & { id: string }): Promise<DryRun> {
  const integration = await integrations.lock(at, id)
  const { default_country = integration.default_country } = given
  const field_map = given.field_map ? integrations.mapOf(given.field_map) : integration.field_map
  const plan = await planFor(at, sample, { field_map, default_country })
  if ('problem' in plan) {
    const { problem, contact_id } = plan
    return { outcome: 'refused', reasons: reasonsOf(problem), contact_id, contact: null }
  }
  const { contact, crm_ids, before } = plan
  return {
    outcome: outcomeOf(plan),
    reasons: [],
    contact_id: before?.id ?? null,
    contact: { ...contact, ...(crm_ids.length > 0 && { crm_ids: Object.fromEntries(crm_ids) }) },
  }
}

export function reasonsOf({ message, details }: Problem): string[] {
  const { fields } = details as { fields?: { message: string }[] }
  return fields?.length ? fields.map((fault) => fault.message) : [message]
}
