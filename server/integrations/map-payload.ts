import { parseContact } from '../contacts/parse.ts'
import { CrmId, type NewContact } from '../contacts/schema.ts'
import { type RequestSchema, validate } from '../kit/http/validate.ts'
import { valueAt } from '../kit/pointer.ts'
import { type Fault, invalid, type Problem } from '../kit/problem.ts'
import type { Integration } from './schema.ts'

export type Mapping = Pick<Integration, 'field_map' | 'default_country'>

/** What a payload asks for. */
export interface Meant {
  contact: NewContact
  /** Ids by CRM system. */
  crm_ids: Record<string, string>
}

/** Reads a payload as the field map says: a Problem when it can't be a contact. */
export function read(payload: unknown, { field_map, default_country }: Mapping): Meant | Problem {
  const { crm_ids: crm_map = {}, ...map } = field_map
  if (map.phone_number === undefined) {
    return invalid([{ path: 'phone_number', code: 'required', message: 'The field map has no phone_number yet.' }])
  }
  const faults: Fault[] = []
  const { contact, faults: others } = parseContact(saidBy(payload, map, faults), default_country)
  // One fault is enough for a field: what is no text is missing as well.
  const known = new Set(faults.map(({ path }) => path))
  faults.push(...others.filter(({ path }) => !known.has(path)).map((fault) => located(fault, map)))
  const crm_ids = crmIdsOf(saidBy(payload, crm_map, faults), faults)
  return !contact || faults.length > 0 ? invalid(faults) : { contact, crm_ids }
}

/** The number alone: of whom a payload speaks that is refused for something else. */
export function numberOf(payload: unknown, { field_map, default_country }: Mapping): string | undefined {
  const { phone_number } = field_map
  const said = phone_number === undefined ? {} : saidBy(payload, { phone_number }, [])
  return parseContact(said, default_country).contact?.phone_number
}

function saidBy(payload: unknown, map: Record<string, string>, faults: Fault[]): Record<string, string | string[]> {
  // Without a prototype: a system may have any name.
  const said: Record<string, string | string[]> = Object.create(null)
  for (const [field, pointer] of Object.entries(map)) {
    const value = valueAt(pointer, payload)
    const texts = field === 'tags' && Array.isArray(value) ? value.map(textOf) : textOf(value)
    if (texts === undefined) continue
    if (texts === null || (Array.isArray(texts) && texts.some((text) => typeof text !== 'string'))) {
      faults.push({ path: field, code: 'type', message: `${field}: there is no text at ${pointer}.` })
    } else said[field] = texts as string | string[]
  }
  return said
}

function crmIdsOf(said: Record<string, string | string[]>, faults: Fault[]): Record<string, string> {
  const given = Object.entries(said).flatMap(([system, text]) => {
    if (String(text).trim() === '') return []
    const { value, faults: own } = validate(CrmId as RequestSchema, { id: text })
    faults.push(...own.map((fault) => ({ ...fault, path: system, message: `${system}: ${fault.message}` })))
    return [[system, String(value.id)]]
  })
  return Object.fromEntries(given)
}

/** Form tools send numbers as numbers. Undefined: nothing is said; null: it is no text. */
function textOf(value: unknown): string | null | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'object') return null
  return String(value)
}

const located = (fault: Fault, map: Record<string, string>): Fault =>
  fault.code === 'required' ? { ...fault, message: `${fault.message} There is nothing at ${map[fault.path]}.` } : fault
