import { queryOptions } from '@tanstack/react-query'
import type { Contact, ContactWithCrmIds } from '../../../server/contacts/schema.ts'
import type { Api } from '../kit/api.ts'
import { formatPhoneNumber } from '../kit/phone-number.ts'
import type { ContactSearch } from './search.ts'

const page_size = 50

export const contactName = ({ display_name, first_name, last_name }: Contact): string =>
  display_name || [first_name, last_name].filter(Boolean).join(' ')

/** Returns the contact's name, or its number. */
export const contactTitle = (contact: Contact): string =>
  contactName(contact) || formatPhoneNumber(contact.phone_number)

/** The filters that the list and the export share. */
export const toFilters = ({ search, tag, source, sort }: ContactSearch) => ({
  search: search?.trim(),
  tag,
  source,
  sort,
})

export const contactListKey = (api: Api) => [api.workspace, 'contacts', 'list']

export const contactListQuery = (api: Api, params: ContactSearch) => {
  const query = { ...toFilters(params), limit: page_size, offset: ((params.page ?? 1) - 1) * page_size }
  return queryOptions({
    queryKey: [...contactListKey(api), query],
    queryFn: ({ signal }) => api.list<Contact>('/contacts', query, signal),
  })
}

export const contactQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: [api.workspace, 'contacts', 'one', id],
    queryFn: ({ signal }) => api.get<ContactWithCrmIds>(`/contacts/${id}`, {}, signal),
  })
