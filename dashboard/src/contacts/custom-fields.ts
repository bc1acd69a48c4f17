import type { CustomFields } from '../../../server/contacts/schema.ts'
import { isSame } from '../kit/merge.ts'

export type Kind = 'text' | 'number' | 'boolean'

/** A custom field in a form. */
export interface CustomFieldValues {
  name: string
  kind: Kind
  /** The value that was typed. An empty text removes the field. */
  value: string | number | boolean
}

export const custom_fields_max = 50
export const kinds: { value: Kind; label: string }[] = [
  { value: 'text', label: 'Text' },
  { value: 'number', label: 'Number' },
  { value: 'boolean', label: 'Yes or no' },
]
const name_pattern = /^[a-z][a-z0-9_]{0,49}$/

/** Says what is wrong with the name. */
export const nameError = (name: string): string | undefined =>
  name_pattern.test(name) ? undefined : 'Up to 50 lower-case letters, digits and _, beginning with a letter.'

export const formatCustomField = (value: CustomFields[string]): string =>
  typeof value === 'boolean' ? (value ? 'Yes' : 'No') : String(value)

/** Returns the fields, sorted by name. */
export const sortedFields = (fields: CustomFields): [string, CustomFields[string]][] =>
  Object.entries(fields).sort(([left], [right]) => (left < right ? -1 : 1))

export const toFormFields = (fields: CustomFields): CustomFieldValues[] =>
  sortedFields(fields).map(([name, value]) => ({ name, kind: kindOf(value), value }))

const kindOf = (value: CustomFields[string]): Kind =>
  typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'boolean' : 'text'

/** Converts the value to another kind, as far as that can have it. */
export function convert(value: CustomFieldValues['value'], kind: Kind): CustomFieldValues['value'] {
  if (kind === 'boolean') return value === true || value === 'true'
  if (kind === 'text') return String(value)
  return isNumber(value) ? Number(value) : ''
}

const isNumber = (value: CustomFieldValues['value']): boolean =>
  typeof value !== 'boolean' && value !== '' && Number.isFinite(Number(value))

/** Rules of the form, which shows each error at its input. */
export const customFieldRules = {
  name: (name: string, { custom_fields }: { custom_fields: CustomFieldValues[] }) =>
    custom_fields.filter((field) => field.name === name).length > 1 ? 'Another field has this name.' : nameError(name),
  value: (
    value: CustomFieldValues['value'],
    { custom_fields }: { custom_fields: CustomFieldValues[] },
    path: string,
  ) =>
    custom_fields[Number(path.split('.')[1])]?.kind === 'number' && !isNumber(value) ? 'Enter a number.' : undefined,
}

export const toCustomFields = (fields: CustomFieldValues[]): CustomFields =>
  Object.fromEntries(fields.map(({ name, kind, value }) => [name, kind === 'number' ? Number(value) : value]))

/** Returns the fields that differ. null stands for a removed one. */
export function customFieldChanges(before: CustomFields, wanted: CustomFields): Record<string, unknown> {
  const names = [...new Set([...Object.keys(before), ...Object.keys(wanted)])]
  const fieldOf = (fields: CustomFields, name: string) => (Object.hasOwn(fields, name) ? fields[name] : null)
  return Object.fromEntries(
    names
      .filter((name) => !isSame(fieldOf(before, name), fieldOf(wanted, name)))
      .map((name) => [name, fieldOf(wanted, name)]),
  )
}
