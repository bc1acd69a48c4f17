import { parseContact, type ReceivedValue } from '../contacts/parse.ts'
import { CrmId, customFieldPath, isCustomFieldPath, type NewContact } from '../contacts/schema.ts'
import { type RequestSchema, validate } from '../kit/http/validate.ts'
import { valueAt } from '../kit/json.ts'
import type { Fault } from '../kit/problem.ts'
import type { Integration } from './schema.ts'

export type PayloadMapping = Pick<Integration, 'field_map' | 'default_country'>

export interface MappedPayload {
  contact: NewContact
  /** The contact's ids by CRM system. */
  crm_ids: Record<string, string>
}

type Values = Record<string, ReceivedValue>

/** Applies the field map to a payload. `mapped` is undefined when the result is not a valid contact. */
export function mapPayload(
  payload: unknown,
  { field_map, default_country }: PayloadMapping,
): { mapped: MappedPayload | undefined; faults: Fault[] } {
  const { crm_ids: crm_pointers = {}, custom_fields = {}, ...own_pointers } = field_map
  const custom_pointers = Object.entries(custom_fields).map(([name, pointer]) => [customFieldPath(name), pointer])
  const pointers: Record<string, string> = { ...own_pointers, ...Object.fromEntries(custom_pointers) }
  if (pointers.phone_number === undefined) {
    const message = 'The field map has no phone_number yet.'
    return { mapped: undefined, faults: [{ path: 'phone_number', code: 'required', message }] }
  }
  const { values, faults } = readValues(payload, pointers)
  const { contact, faults: contact_faults } = parseContact(values, default_country)
  // A value of the wrong type is missing from `values`, and must not be reported as missing too.
  const reported = new Set(faults.map(({ path }) => path))
  faults.push(...contact_faults.filter(({ path }) => !reported.has(path)).map((fault) => withPointer(fault, pointers)))
  const crm = readCrmIds(payload, crm_pointers)
  faults.push(...crm.faults)
  const mapped = contact && faults.length === 0 ? { contact, crm_ids: crm.crm_ids } : undefined
  return { mapped, faults }
}

/** The phone number in a payload that may be invalid otherwise. */
export function findPhoneNumber(payload: unknown, { field_map, default_country }: PayloadMapping): string | undefined {
  const { phone_number } = field_map
  const { values } = readValues(payload, phone_number === undefined ? {} : { phone_number })
  return parseContact(values, default_country).contact?.phone_number
}

function readValues(payload: unknown, pointers: Record<string, string>): { values: Values; faults: Fault[] } {
  // The object has no prototype, because a CRM system may have any name.
  const values: Values = Object.create(null)
  const faults: Fault[] = []
  for (const [field, pointer] of Object.entries(pointers)) {
    const value = valueAt(pointer, payload)
    const is_typed = isCustomFieldPath(field) && (typeof value === 'number' || typeof value === 'boolean')
    const text = field === 'tags' && Array.isArray(value) ? value.map(toText) : is_typed ? value : toText(value)
    if (text === undefined) continue
    if (text === null || (Array.isArray(text) && text.some((item) => typeof item !== 'string'))) {
      faults.push({ path: field, code: 'type', message: `${field}: the value at ${pointer} is not text.` })
    } else values[field] = text as ReceivedValue
  }
  return { values, faults }
}

function readCrmIds(payload: unknown, pointers: Record<string, string>) {
  const { values, faults } = readValues(payload, pointers)
  const crm_ids = Object.entries(values).flatMap(([system, text]) => {
    if (String(text).trim() === '') return []
    const { value, faults: id_faults } = validate(CrmId as RequestSchema, { id: text })
    faults.push(...id_faults.map((fault) => ({ ...fault, path: system, message: `${system}: ${fault.message}` })))
    return [[system, String(value.id)]]
  })
  return { crm_ids: Object.fromEntries(crm_ids), faults }
}

/**
 * Returns a value as text, because form tools also send numbers. Returns undefined for no value, and null for a value
 * that is not text.
 */
function toText(value: unknown): string | null | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'object') return null
  return String(value)
}

const withPointer = (fault: Fault, pointers: Record<string, string>): Fault =>
  fault.code === 'required'
    ? { ...fault, message: `${fault.message} The payload has no value at ${pointers[fault.path]}.` }
    : fault
