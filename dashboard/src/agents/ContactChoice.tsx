import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Contact } from '../../../server/contacts/schema.ts'
import { contactTitle } from '../contacts/contact.ts'
import { useApi } from '../kit/api.ts'

const typing_ms = 200
const found_max = 8

interface ContactChoiceProps {
  chosen: Contact | undefined
  onChoose: (contact: Contact | undefined) => void
}

/** Chooses the contact whose name, number and fields the agent knows in a test. By default there is none. */
export function ContactChoice({ chosen, onChoose }: ContactChoiceProps) {
  const api = useApi()
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.trim(), typing_ms)
  const query = { search, limit: found_max }
  const { data } = useQuery({
    queryKey: [api.workspace, 'contacts', 'list', query],
    queryFn: ({ signal }) => api.list<Contact>('/contacts', query, signal),
    placeholderData: keepPreviousData,
  })
  const found = data?.data ?? []
  const all = chosen && !found.some(({ id }) => id === chosen.id) ? [chosen, ...found] : found
  return (
    <Select
      aria-label="Contact"
      placeholder="Unknown contact"
      size="xs"
      searchable
      clearable
      data={all.map((contact) => ({ value: contact.id, label: contactTitle(contact) }))}
      // The server has searched already.
      filter={({ options }) => options}
      value={chosen?.id ?? null}
      onSearchChange={setTyped}
      onChange={(value) => onChoose(all.find(({ id }) => id === value))}
    />
  )
}
