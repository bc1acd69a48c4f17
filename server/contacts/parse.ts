import { type RequestSchema, validate } from '../kit/http/validate.ts'
import type { Fault } from '../kit/problem.ts'
import { removeDuplicateTags } from './normalize.ts'
import { isNationalNumber, isPhoneNumber, parsePhoneNumber } from './phone.ts'
import {
  type Contact,
  type ContactChange,
  type CustomFieldPath,
  customField,
  customFieldName,
  type Field,
  isCustomFieldPath,
  NewContact,
} from './schema.ts'
import { parseTags } from './tags.ts'

/** The fields of a contact as an import or an integration received them. An empty text is the same as no field. */
export type ReceivedFields = Partial<Record<Field, ReceivedValue>> & { [path: CustomFieldPath]: ReceivedValue }
export type ReceivedValue = string | string[] | number | boolean

/** Parses a contact that was not written for this API, so it is less strict about phone numbers and tags. */
export function parseContact(
  received: ReceivedFields,
  default_country: string | null,
): { contact: NewContact; faults: [] } | { contact: undefined; faults: Fault[] } {
  const given = Object.entries(received).filter(([, value]) => typeof value !== 'string' || value.trim() !== '')
  const fields: Record<string, unknown> = {}
  const custom_fields: Record<string, unknown> = {}
  for (const [field, value] of given) {
    if (isCustomFieldPath(field)) custom_fields[customFieldName(field)] = value
    else fields[field] = parseField(field, value, default_country)
  }
  if (Object.keys(custom_fields).length > 0) fields.custom_fields = custom_fields
  const { value, faults } = validate(NewContact as RequestSchema, fields)
  if (faults.length > 0) {
    const needs_country = default_country === null && isNationalNumber(String(received.phone_number ?? '').trim())
    return { contact: undefined, faults: needs_country ? faults.map(withCountryHint) : faults }
  }
  // The value has passed the schema that the type comes from.
  const contact = value as NewContact
  if (contact.tags) contact.tags = removeDuplicateTags(contact.tags)
  return { contact, faults: [] }
}

function parseField(field: string, value: ReceivedValue, default_country: string | null): unknown {
  if (typeof value !== 'string') return value
  const text = value.trim()
  if (field === 'tags') return parseTags(text)
  if (field !== 'phone_number' || isPhoneNumber(text)) return text
  return parsePhoneNumber(text, default_country) ?? text
}

const withCountryHint = (fault: Fault): Fault =>
  fault.path === 'phone_number'
    ? { ...fault, message: `${fault.message} To accept numbers without a country code, set default_country.` }
    : fault

/**
 * Returns the fields whose values differ from those of the existing contact, or undefined if there are none. Custom
 * fields are compared by their text, because a CSV file has no numbers and booleans.
 */
export function changedFields(contact: NewContact, existing: Contact): ContactChange | undefined {
  const { custom_fields, ...others } = contact
  const values: Record<string, unknown> = existing
  const changed: [string, unknown][] = Object.entries(others).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(values[name]),
  )
  const changed_custom = Object.entries(custom_fields ?? {}).filter(
    ([name, value]) => String(value ?? '') !== String(customField(existing, name) ?? ''),
  )
  if (changed_custom.length > 0) changed.push(['custom_fields', Object.fromEntries(changed_custom)])
  return changed.length > 0 ? Object.fromEntries(changed) : undefined
}
