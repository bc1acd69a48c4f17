import { type RequestSchema, validate } from '../kit/http/validate.ts'
import type { Fault } from '../kit/problem.ts'
import { withoutDuplicates } from './normalize.ts'
import { isPhoneNumber, readPhoneNumber } from './phone.ts'
import { type Contact, type ContactChange, type Field, NewContact } from './schema.ts'
import { readTags } from './tags.ts'

/** What others wrote of a contact, such as the cells of a file. An empty text says nothing. */
export type Said = Partial<Record<Field, string | string[]>>

/** The contact that was meant, or why it can't be one. */
export function parseContact(
  said: Said,
  default_country: string | null,
): { contact: NewContact; faults: [] } | { contact: undefined; faults: Fault[] } {
  const given = Object.entries(said).filter(([, value]) => typeof value !== 'string' || value.trim() !== '')
  const values = given.map(([field, value]) => [field, fieldOf(field, value, default_country)])
  const { value, faults } = validate(NewContact as RequestSchema, Object.fromEntries(values))
  if (faults.length > 0) return { contact: undefined, faults: default_country ? faults : faults.map(withCountryHint) }
  // It has passed the schema that the type comes from.
  const contact = value as NewContact
  if (contact.tags) contact.tags = withoutDuplicates(contact.tags)
  return { contact, faults: [] }
}

const withCountryHint = (fault: Fault): Fault =>
  fault.path === 'phone_number' && fault.code === 'format'
    ? { ...fault, message: `${fault.message} Set default_country if numbers have no country code.` }
    : fault

function fieldOf(field: string, value: string | string[], default_country: string | null): unknown {
  if (typeof value !== 'string') return value
  const text = value.trim()
  if (field === 'tags') return readTags(text)
  if (field !== 'phone_number' || isPhoneNumber(text)) return text
  return readPhoneNumber(text, default_country) ?? text
}

/** What is said and the contact has otherwise. */
export function differing(said: NewContact, before: Contact): ContactChange | undefined {
  const now: Record<string, unknown> = before
  const changes = Object.entries(said).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(now[name]))
  return changes.length > 0 ? Object.fromEntries(changes) : undefined
}
