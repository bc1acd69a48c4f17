import { crmIdInUse, crmIdsProblem, findHolders } from '../contacts/crm-ids.ts'
import { changedFields } from '../contacts/parse.ts'
import type { ContactWithCrmIds, NewContact } from '../contacts/schema.ts'
import { setCrmId } from '../contacts/set-crm-id.ts'
import * as contacts from '../contacts/store.ts'
import type { At } from '../kit/at.ts'
import { invalid, Problem } from '../kit/problem.ts'
import { findPhoneNumber, mapPayload, type PayloadMapping } from './map-payload.ts'
import type { DryRun, Sample } from './schema.ts'
import * as integrations from './store.ts'

/** A write is tried this often, because requests and deletions of one contact can come many at a time. */
const attempts_max = 10

/** Why a payload is refused, and the contact that it is about. */
interface RefusedPayload {
  problem: Problem
  contact_id: string | null
}

type UpsertResult =
  | { outcome: 'created' | 'updated' | 'unchanged'; contact_id: string; problem?: undefined }
  | RefusedPayload

interface PayloadInput {
  payload: unknown
  mapping: PayloadMapping
}

/** Creates the contact in a payload, or updates the one that has its phone number. Writes nothing when it refuses. */
export async function upsert(at: At, input: PayloadInput, attempt = 1): Promise<UpsertResult> {
  const plan = await planUpsert(at, input)
  if ('problem' in plan) return plan
  const written = await writeContact(at, plan)
  if (!written || written instanceof Problem) {
    // The number was taken since it was read, or the contact deleted.
    if (attempt < attempts_max) return upsert(at, input, attempt + 1)
    throw written ?? new Error('neither a contact nor a problem')
  }
  for (const [system, crm_id] of plan.crm_ids) {
    await setCrmId(at, { id: written.id, system, crm_id, isCurrent: () => true })
  }
  return { outcome: outcomeFor(plan), contact_id: written.id }
}

interface Plan {
  contact: NewContact
  /** The ids that the contact doesn't have yet. */
  crm_ids: [string, string][]
  before: ContactWithCrmIds | undefined
}

async function writeContact(at: At, { contact, before }: Plan) {
  if (!before) return (await contacts.create(at, [{ ...contact, source: 'webhook' }]))[0]
  const change = changedFields(contact, before)
  if (!change) return before
  return (await contacts.update(at, [{ id: before.id, change, isCurrent: () => true }]))[0]
}

function outcomeFor({ contact, crm_ids, before }: Plan): 'created' | 'updated' | 'unchanged' {
  if (!before) return 'created'
  return changedFields(contact, before) || crm_ids.length > 0 ? 'updated' : 'unchanged'
}

/** Decides what to write, and locks the existing contact. */
async function planUpsert(at: At, { payload, mapping }: PayloadInput): Promise<Plan | RefusedPayload> {
  const { mapped, faults } = mapPayload(payload, mapping)
  const number = mapped ? mapped.contact.phone_number : findPhoneNumber(payload, mapping)
  const given = mapped?.crm_ids ?? {}
  // CRM ids are looked up before the number: a contact that gets both in between is then still found by its number.
  const crm_holders = [...(await findHolders(at, [given])).values()]
  const number_holder = number === undefined ? undefined : (await contacts.idsByNumber(at, [number])).get(number)
  // Refused payloads lock the contact as well: if it is deleted now, their receipts must be redacted.
  const locked = await contacts.lock(at, number_holder === undefined ? crm_holders : [number_holder, ...crm_holders])
  const before = number_holder === undefined ? undefined : locked.get(number_holder)
  if (!mapped) return { problem: invalid(faults), contact_id: before?.id ?? null }
  const other = crm_holders.find((id) => id !== number_holder && locked.has(id))
  if (other !== undefined) return { problem: crmIdInUse('id', other), contact_id: before?.id ?? other }
  const too_many = crmIdsProblem({ ...before?.crm_ids, ...given }, before?.crm_ids)
  if (too_many) return { problem: too_many, contact_id: before?.id ?? null }
  const crm_ids = Object.entries(given).filter(([system, id]) => before?.crm_ids[system] !== id)
  return { contact: mapped.contact, crm_ids, before }
}

/** Returns what a sample would do, with the field map that is given or else the integration's own. */
export async function dryRun(at: At, { id, sample, ...given }: Sample & { id: string }): Promise<DryRun> {
  const integration = await integrations.lockShared(at, id)
  const { default_country = integration.default_country } = given
  const field_map = given.field_map ? integrations.toFieldMap(given.field_map) : integration.field_map
  const plan = await planUpsert(at, { payload: sample, mapping: { field_map, default_country } })
  if ('problem' in plan) {
    const { problem, contact_id } = plan
    return { outcome: 'refused', reasons: toReasons(problem), contact_id, contact: null }
  }
  const { contact, crm_ids, before } = plan
  return {
    outcome: outcomeFor(plan),
    reasons: [],
    contact_id: before?.id ?? null,
    contact: { ...contact, ...(crm_ids.length > 0 && { crm_ids: Object.fromEntries(crm_ids) }) },
  }
}

export function toReasons({ message, details }: Problem): string[] {
  const { fields } = details as { fields?: { message: string }[] }
  return fields?.length ? fields.map((fault) => fault.message) : [message]
}
