import { Anchor, Button, Group, TagsInput, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Contact, ContactCreated, ContactWithCrmIds } from '../../../server/contacts/schema.ts'
import { useApi } from '../kit/api.ts'
import { faultsOf } from '../kit/error-messages.ts'
import { changedFields, mergeList } from '../kit/merge.ts'
import { Problem } from '../kit/request.ts'
import { Refusal } from '../kit/states.tsx'
import { tell } from '../kit/toast.ts'
import { oneQuery } from './contact.ts'
import styles from './contacts.module.css'
import { useContactSearch } from './useContactSearch.ts'
import { useStale } from './useRefreshContacts.ts'

interface ContactFormProps {
  /** Undefined: a new one. */
  contact?: ContactWithCrmIds
  onCancel: () => void
  onSaved: (contact: ContactCreated) => void
}

const fields = ['phone_number', 'first_name', 'last_name', 'display_name', 'email', 'company', 'tags', 'notes'] as const

export function ContactForm({ contact, onCancel, onSaved }: ContactFormProps) {
  const api = useApi()
  const client = useQueryClient()
  const refresh = useStale()
  const form = useForm({ initialValues: valuesOf(contact) })
  const saving = useMutation({
    mutationFn: (values: Values): Promise<ContactCreated> =>
      contact
        ? api.change<Contact>(`/contacts/${contact.id}`, (now) => changesOf(valuesOf(contact), values, now))
        : api.send<ContactCreated>('POST', '/contacts', values),
    onError: (error) => form.setErrors(faultsOf(error, [...fields]).at),
    onSuccess: async (saved) => {
      if (contact) client.setQueryData(oneQuery(api, saved.id).queryKey, { ...contact, ...saved })
      onSaved(saved)
      tell(contact ? 'Changes saved.' : 'Contact created.')
      await refresh()
    },
  })
  const text = (name: Exclude<(typeof fields)[number], 'tags'>) => form.getInputProps(name)
  return (
    <form className={styles.form} onSubmit={form.onSubmit((values) => saving.mutate(values))} noValidate>
      {saving.error && <FormRefusal error={saving.error} />}
      <TextInput
        label="Phone number"
        description="Include the country code, for example +14155550123."
        type="tel"
        required
        data-autofocus
        {...text('phone_number')}
      />
      <div className={styles.pair}>
        <TextInput label="First name" {...text('first_name')} />
        <TextInput label="Last name" {...text('last_name')} />
      </div>
      <TextInput label="Display name" description="Shown instead of first and last name." {...text('display_name')} />
      <TextInput label="Email" type="email" {...text('email')} />
      <TextInput label="Company" {...text('company')} />
      <TagsInput label="Tags" placeholder="Type and press Enter" {...form.getInputProps('tags')} />
      <Textarea label="Notes" autosize minRows={3} maxRows={10} {...text('notes')} />
      <Group className={styles.panelFoot}>
        <Button type="submit" loading={saving.isPending}>
          {contact ? 'Save changes' : 'Create contact'}
        </Button>
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
      </Group>
    </form>
  )
}

/** A number that is taken leads to who has it. */
function FormRefusal({ error }: { error: Error }) {
  const { change } = useContactSearch()
  const holder = error instanceof Problem ? error.details.existing_id : undefined
  const { rest } = faultsOf(error, [...fields])
  if (!rest) return null
  return (
    <Refusal>
      {rest}{' '}
      {typeof holder === 'string' && (
        <Anchor component="button" type="button" onClick={() => change({ contact: holder })}>
          View contact
        </Anchor>
      )}
    </Refusal>
  )
}

type Values = ReturnType<typeof valuesOf>

const valuesOf = (contact?: Contact) => ({
  phone_number: contact?.phone_number ?? '',
  first_name: contact?.first_name ?? '',
  last_name: contact?.last_name ?? '',
  display_name: contact?.display_name ?? '',
  email: contact?.email ?? '',
  company: contact?.company ?? '',
  tags: contact?.tags ?? [],
  notes: contact?.notes ?? '',
})

function changesOf(before: Values, values: Values, now: Contact): Partial<Values> {
  const changes = changedFields(before, values)
  return changes.tags ? { ...changes, tags: mergeList(before.tags, changes.tags, now.tags) } : changes
}
