import type { Field } from '../../../server/contacts/schema.ts'

/** The fields that imports and integrations can set. */
export const contact_fields: { value: Field; label: string }[] = [
  { value: 'phone_number', label: 'Phone number' },
  { value: 'first_name', label: 'First name' },
  { value: 'last_name', label: 'Last name' },
  { value: 'display_name', label: 'Display name' },
  { value: 'email', label: 'Email' },
  { value: 'company', label: 'Company' },
  { value: 'time_zone', label: 'Time zone' },
  { value: 'notes', label: 'Notes' },
  { value: 'tags', label: 'Tags' },
]
