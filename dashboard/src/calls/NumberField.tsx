import { Autocomplete } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Contact } from '../../../server/contacts/schema.ts'
import { contactName, contactTitle } from '../contacts/contact.ts'
import { useApi } from '../kit/api.ts'
import { useIsTest } from '../kit/session.ts'
import { type CallValues, contactOption } from './call-values.ts'

const typing_ms = 200
const found_max = 6

/** A phone number, or a contact that is found while typing. */
export function NumberField({ form }: { form: UseFormReturnType<CallValues> }) {
  const api = useApi()
  const [search] = useDebouncedValue(form.values.to.trim(), typing_ms)
  const query = { search, limit: found_max }
  const found = useQuery({
    queryKey: [api.workspace, 'contacts', 'list', query],
    queryFn: ({ signal }) => api.list<Contact>('/contacts', query, signal),
    placeholderData: keepPreviousData,
  })
  const options = found.data?.data.map((contact) => {
    const name = contactName(contact)
    return name ? contactOption(name, contact.phone_number) : contactTitle(contact)
  })
  const { is_simulated } = form.values
  const hint = useIsTest()
    ? 'Its last two digits choose the simulated person who answers: 00 is friendly.'
    : 'A number with its country code.'
  return (
    <Autocomplete
      label="Phone number or contact"
      description={is_simulated ? 'It is not dialled. Leave blank for a fictional number.' : hint}
      placeholder="+1 415 555 0123"
      required={!is_simulated}
      data={[...new Set(options)]}
      // The server has searched already.
      filter={({ options }) => options}
      {...form.getInputProps('to')}
    />
  )
}
