import { Anchor, Autocomplete, TagsInput, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Contact, ContactCreated, ContactWithCrmIds } from '../../../server/contacts/schema.ts'
import { useApi } from '../kit/api.ts'
import { useConflicts } from '../kit/Conflict.tsx'
import { FormButtons } from '../kit/Dialog.tsx'
import { formErrors } from '../kit/error-messages.ts'
import { changedFields, mergeList } from '../kit/merge.ts'
import { PhoneField } from '../kit/PhoneField.tsx'
import { useToPhoneNumber } from '../kit/phone-number.ts'
import { ParleyError } from '../kit/request.ts'
import { ErrorAlert } from '../kit/states.tsx'
import { time_zones } from '../kit/time-field.ts'
import { showToast } from '../kit/toast.ts'
import { useUnsaved } from '../kit/unsaved.tsx'
import { CustomFieldInputs } from './CustomFieldInputs.tsx'
import { contactQuery } from './contact.ts'
import styles from './contacts.module.css'
import { customFieldChanges, customFieldRules, toCustomFields, toFormFields } from './custom-fields.ts'
import { useRefreshContacts } from './useRefreshContacts.ts'

interface ContactFormProps {
  /** The contact to edit. Without it, the form creates one. */
  contact?: ContactWithCrmIds
  onCancel: () => void
  onSaved: (contact: ContactCreated) => void
}

const fields = [
  'phone_number',
  'first_name',
  'last_name',
  'display_name',
  'email',
  'company',
  'time_zone',
  'tags',
  'notes',
] as const

export function ContactForm({ contact: latest, onCancel, onSaved }: ContactFormProps) {
  const api = useApi()
  const client = useQueryClient()
  const refresh = useRefreshContacts()
  // The form keeps the contact as it was first: the page reads it again whenever it changes, and what differs from the
  // form's beginning was typed.
  const [contact] = useState(latest)
  const form = useForm({ initialValues: toValues(contact), validate: { custom_fields: customFieldRules } })
  const setSaved = useUnsaved(form.isDirty())
  const conflicts = useConflicts({ merged: ['tags'] })
  const toPhoneNumber = useToPhoneNumber()
  const saving = useMutation({
    mutationFn: async (typed: Values): Promise<ContactCreated> => {
      const values = { ...typed, phone_number: await toPhoneNumber(typed.phone_number) }
      return contact
        ? await api.update<Contact>(`/contacts/${contact.id}`, async (current) => {
            const before = toFields(toValues(contact))
            const theirs = toFields(toValues(current))
            return toChanges(before, await conflicts.choose({ before, mine: toFields(values), theirs }), current)
          })
        : await api.send<ContactCreated>('POST', '/contacts', toFields(values))
    },
    onError: (error, typed) => form.setErrors(toErrors(error, typed).fields),
    onSuccess: async (saved) => {
      if (latest) client.setQueryData(contactQuery(api, saved.id).queryKey, { ...latest, ...saved })
      setSaved()
      onSaved(saved)
      showToast(contact ? 'Changes saved.' : 'Contact created.')
      await refresh()
    },
  })
  const text = (name: Exclude<(typeof fields)[number], 'tags'>) => form.getInputProps(name)
  return (
    <form className={styles.form} onSubmit={form.onSubmit((values) => saving.mutate(values))} noValidate>
      {conflicts.dialog}
      {saving.error && <FormError error={saving.error} message={toErrors(saving.error, saving.variables).message} />}
      <PhoneField label="Phone number" required data-autofocus {...form.getInputProps('phone_number')} />
      <div className={styles.pair}>
        <TextInput label="First name" {...text('first_name')} />
        <TextInput label="Last name" {...text('last_name')} />
      </div>
      <TextInput label="Display name" description="Shown instead of first and last name." {...text('display_name')} />
      <TextInput label="Email" type="email" {...text('email')} />
      <TextInput label="Company" {...text('company')} />
      <Autocomplete
        label="Time zone"
        description="Sets the hours for campaigns and the date that agents use. If empty, it follows from the phone number."
        data={time_zones}
        limit={50}
        {...text('time_zone')}
      />
      <TagsInput label="Tags" placeholder="Type and press Enter" {...form.getInputProps('tags')} />
      <Textarea label="Notes" autosize minRows={3} maxRows={10} {...text('notes')} />
      <CustomFieldInputs form={form} />
      <div className={styles.panelFoot}>
        <FormButtons
          label={contact ? 'Save changes' : 'Create contact'}
          is_pending={saving.isPending}
          errors={form.errors}
          onCancel={() => {
            setSaved()
            onCancel()
          }}
        />
      </div>
    </form>
  )
}

/** Shows an error. A duplicate phone number links to the existing contact. */
function FormError({ error, message }: { error: Error; message: string | undefined }) {
  const { workspace } = useApi()
  const existing_id = error instanceof ParleyError ? error.details.existing_id : undefined
  if (!message) return null
  return (
    <ErrorAlert>
      {message}{' '}
      {typeof existing_id === 'string' && (
        <Anchor
          renderRoot={(props) => (
            <Link to="/w/$workspace/contacts/$id" params={{ workspace, id: existing_id }} {...props} />
          )}
        >
          View contact
        </Anchor>
      )}
    </ErrorAlert>
  )
}

type Values = ReturnType<typeof toValues>

const toValues = (contact?: Contact) => ({
  phone_number: contact?.phone_number ?? '',
  first_name: contact?.first_name ?? '',
  last_name: contact?.last_name ?? '',
  display_name: contact?.display_name ?? '',
  email: contact?.email ?? '',
  company: contact?.company ?? '',
  time_zone: contact?.time_zone ?? '',
  tags: contact?.tags ?? [],
  notes: contact?.notes ?? '',
  custom_fields: toFormFields(contact?.custom_fields ?? {}),
})

/** Converts values to the fields of the API. */
const toFields = ({ custom_fields, ...values }: Values) => ({ ...values, custom_fields: toCustomFields(custom_fields) })

type Fields = ReturnType<typeof toFields>

function toChanges(before: Fields, wanted: Fields, current: Contact): object {
  const { tags, custom_fields, ...changes } = changedFields(before, wanted)
  return {
    ...changes,
    ...(tags && { tags: mergeList(before.tags, tags, current.tags) }),
    ...(custom_fields && { custom_fields: customFieldChanges(before.custom_fields, custom_fields) }),
  }
}

/** Maps errors to the fields of the form. The server names a custom field by its name, the form by its position. */
function toErrors(error: unknown, { custom_fields }: Pick<Values, 'custom_fields'>): ReturnType<typeof formErrors> {
  const paths = custom_fields.map(({ name }) => `custom_fields.${name}`)
  const errors = formErrors(error, [...fields, ...paths])
  const byInput = Object.entries(errors.fields).map(([name, text]) => {
    const index = paths.indexOf(name)
    return [index < 0 ? name : `custom_fields.${index}.value`, text]
  })
  return { ...errors, fields: Object.fromEntries(byInput) }
}
