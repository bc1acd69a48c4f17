import type { NewContact } from '../contacts/schema.ts'
import * as contacts from '../contacts/store.ts'
import { valueAt } from '../kit/pointer.ts'
import { type Fault, invalid, type Problem } from '../kit/problem.ts'
import type { FieldMap, Integration } from './schema.ts'

export type Mapping = Pick<Integration, 'field_map' | 'default_country' | 'crm_system'>

/** What a payload asks for. */
export interface Meant {
  contact: NewContact
  crm: { system: string; id: string } | undefined
}

const crm_id_length_max = 255

/** Reads a payload as the field map says: a Problem when it can't be a contact. */
export function read(payload: unknown, { field_map, default_country, crm_system }: Mapping): Meant | Problem {
  const faults: Fault[] = []
  const { crm_id, ...said } = saidBy(payload, field_map, faults)
  if (field_map.phone_number === undefined) {
    return invalid([{ path: 'phone_number', code: 'required', message: 'The field map has no phone_number yet.' }])
  }
  const { contact, faults: others } = contacts.read(said, default_country)
  // One fault is enough for a field: what is no text is missing as well.
  const known = new Set(faults.map(({ path }) => path))
  faults.push(...others.filter(({ path }) => !known.has(path)).map((fault) => located(fault, field_map)))
  const id = typeof crm_id === 'string' ? crm_id.trim() : ''
  if ([...id].length > crm_id_length_max) {
    faults.push({
      path: 'crm_id',
      code: 'too_long',
      message: `crm_id may have at most ${crm_id_length_max} characters.`,
    })
  }
  if (!contact || faults.length > 0) return invalid(faults)
  return { contact, crm: id !== '' && crm_system !== null ? { system: crm_system, id } : undefined }
}

function saidBy(payload: unknown, field_map: FieldMap, faults: Fault[]): Record<string, string | string[]> {
  const said: Record<string, string | string[]> = {}
  for (const [field, pointer] of Object.entries(field_map)) {
    const value = valueAt(pointer, payload)
    const texts = field === 'tags' && Array.isArray(value) ? value.map(textOf) : textOf(value)
    if (texts === undefined) continue
    if (texts === null || (Array.isArray(texts) && texts.some((text) => typeof text !== 'string'))) {
      faults.push({ path: field, code: 'type', message: `${field}: there is no text at ${pointer}.` })
    } else said[field] = texts as string | string[]
  }
  return said
}

/** Form tools send numbers as numbers. Undefined: nothing is said; null: it is no text. */
function textOf(value: unknown): string | null | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'object') return null
  return String(value)
}

const located = (fault: Fault, field_map: FieldMap): Fault => {
  const pointer = Object.entries(field_map).find(([field]) => field === fault.path)?.[1]
  const place = fault.code === 'required' ? ` There is nothing at ${pointer}.` : ''
  return { ...fault, message: fault.message + place }
}
