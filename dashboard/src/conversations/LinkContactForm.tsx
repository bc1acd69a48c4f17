import { Radio, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Contact } from '../../../server/contacts/schema.ts'
import type { Conversation } from '../../../server/conversations/schema.ts'
import { contactTitle } from '../contacts/contact.ts'
import { useApi } from '../kit/api.ts'
import { FormButtons } from '../kit/Dialog.tsx'
import { errorMessage } from '../kit/error-messages.ts'
import { SearchIcon } from '../kit/icons.tsx'
import { Stack } from '../kit/Page.tsx'
import { formatPhoneNumber } from '../kit/phone-number.ts'
import { ErrorAlert, LoadingSkeleton } from '../kit/states.tsx'
import { showToast } from '../kit/toast.ts'
import { conversationQuery, listKey } from './conversation.ts'
import styles from './conversations.module.css'

const typing_ms = 200
const found_max = 6

export function LinkContactForm({ conversation, onClose }: { conversation: Conversation; onClose: () => void }) {
  const api = useApi()
  const client = useQueryClient()
  const [text, setText] = useState(conversation.counterpart ?? '')
  const [contact_id, setContactId] = useState<string>()
  const [search] = useDebouncedValue(text.trim(), typing_ms)
  const query = { search, limit: found_max }
  const found = useQuery({
    queryKey: [api.workspace, 'contacts', 'list', query],
    queryFn: ({ signal }) => api.list<Contact>('/contacts', query, signal),
    placeholderData: keepPreviousData,
  })
  const linking = useMutation({
    mutationFn: () => api.send<Conversation>('POST', `/conversations/${conversation.id}/link`, { contact_id }),
    onSuccess: async (changed) => {
      client.setQueryData(conversationQuery(api, changed.id).queryKey, changed)
      onClose()
      showToast('Linked to contact.')
      await client.invalidateQueries({ queryKey: listKey(api) })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (contact_id) linking.mutate()
  }
  const error = linking.error ?? found.error
  return (
    <form onSubmit={submit}>
      <Stack>
        {error && <ErrorAlert>{errorMessage(error)}</ErrorAlert>}
        <Text>
          The visitor typed {formatPhoneNumber(conversation.counterpart ?? '')}, and nobody has checked that it is
          theirs. Link only if you know who this is.
        </Text>
        <TextInput
          type="search"
          label="Find a contact"
          leftSection={<SearchIcon size={17} />}
          value={text}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value)
            // The choice is cleared, because the contact may not be among those found.
            setContactId(undefined)
          }}
          data-autofocus
        />
        {found.isPending && <LoadingSkeleton lines={2} />}
        {found.data?.data.length === 0 && <Text role="status">No contact found. Create it under Contacts first.</Text>}
        {found.data && found.data.data.length > 0 && (
          <Radio.Group label="Contact" value={contact_id ?? ''} onChange={setContactId}>
            <div className={styles.foundContacts}>
              {found.data.data.map((contact) => (
                <Radio
                  key={contact.id}
                  value={contact.id}
                  label={contactTitle(contact)}
                  description={formatPhoneNumber(contact.phone_number)}
                />
              ))}
            </div>
          </Radio.Group>
        )}
        <FormButtons
          label="Link to contact"
          is_pending={linking.isPending}
          is_disabled={contact_id === undefined}
          onCancel={onClose}
        />
      </Stack>
    </form>
  )
}
