import type { ContactWithCrmIds, NewContact } from '../contacts/schema.ts'
import * as contacts from '../contacts/store.ts'
import type { At } from '../kit/http/operation.ts'
import type { Db } from '../kit/postgres/pool.ts'
import { Problem } from '../kit/problem.ts'
import { type Mapping, numberOf, read } from './mapping.ts'
import type { DryRun, Sample } from './schema.ts'
import * as integrations from './store.ts'

const races_max = 3

type Done =
  | { outcome: 'created' | 'updated' | 'unchanged'; contact_id: string; problem?: undefined }
  | { problem: Problem; contact_id: string | null }

/** Creates the contact that a payload speaks of, or updates the one that has its number. Writes nothing when it refuses. */
export async function upsert(at: At, payload: unknown, mapping: Mapping, race = 1): Promise<Done> {
  const { db, workspace, now } = at
  const plan = await planFor(db, workspace, payload, mapping)
  if ('problem' in plan) return plan
  const { contact, crm_ids, before } = plan
  const change = before && contacts.differing(contact, before)
  const [written] = !before
    ? await contacts.create(db, workspace, [{ ...contact, source: 'webhook' }], now)
    : change
      ? await contacts.update(db, workspace, [{ id: before.id, change, is_current: () => true }], now)
      : [before]
  if (!written || written instanceof Problem) {
    // Somebody took the number, or deleted the contact, since it was looked for.
    if (race < races_max) return upsert(at, payload, mapping, race + 1)
    throw written ?? new Error('neither a contact nor why')
  }
  for (const [system, crm_id] of crm_ids) {
    await contacts.setCrmId(db, workspace, { id: written.id, system, crm_id, is_current: () => true }, now)
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
  return contacts.differing(contact, before) || crm_ids.length > 0 ? 'updated' : 'unchanged'
}

/** What is to be done, with the contact held that it concerns. */
async function planFor(
  db: Db,
  workspace: string,
  payload: unknown,
  mapping: Mapping,
): Promise<Plan | { problem: Problem; contact_id: string | null }> {
  const meant = read(payload, mapping)
  const number = meant instanceof Problem ? numberOf(payload, mapping) : meant.contact.phone_number
  const claimed = meant instanceof Problem ? [] : Object.entries(meant.crm_ids)
  // Before the number's holder: a contact that got both meanwhile is then seen as that, too.
  const claimants = await Promise.all(claimed.map(([system, id]) => contacts.crmIdHolder(db, workspace, system, id)))
  const others = claimants.filter((id) => id !== undefined)
  const holder = number === undefined ? undefined : (await contacts.holdersOf(db, workspace, [number])).get(number)
  // Also what is refused is forgotten with the contact of which it speaks, should it be deleted at this moment.
  const held = await contacts.lock(db, workspace, holder === undefined ? others : [holder, ...others])
  const before = holder === undefined ? undefined : held.get(holder)
  if (meant instanceof Problem) return { problem: meant, contact_id: before?.id ?? null }
  const other = others.find((id) => id !== holder && held.has(id))
  if (other !== undefined) return { problem: contacts.crmIdInUse(other), contact_id: before?.id ?? other }
  const crm_ids = claimed.filter(([system, id]) => before?.crm_ids[system] !== id)
  return { contact: meant.contact, crm_ids, before }
}

/** What a sample would do, with the field map of the integration or the one that comes along. */
export async function dryRun({ db, workspace }: At, id: string, { sample, ...said }: Sample): Promise<DryRun> {
  const kept = await integrations.held(db, workspace, id)
  const { default_country = kept.default_country } = said
  const field_map = said.field_map ? integrations.mapOf(said.field_map) : kept.field_map
  const plan = await planFor(db, workspace, sample, { field_map, default_country })
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
