import { queryOptions } from '@tanstack/react-query'
import type { Contact, ContactWithCrmIds } from '../../../server/contacts/schema.ts'
import type { Api } from '../kit/api.ts'
import type { ContactSearch } from './search.ts'

export const page_size = 50

export const nameOf = ({ display_name, first_name, last_name }: Contact): string =>
  display_name || [first_name, last_name].filter(Boolean).join(' ')

/** What both the list and the export take. */
export const filterOf = ({ search, tag, source, sort }: ContactSearch) => ({
  search: search?.trim(),
  tag,
  source,
  sort,
})

export const listQuery = (api: Api, said: ContactSearch) => {
  const query = { ...filterOf(said), limit: page_size, offset: ((said.page ?? 1) - 1) * page_size }
  return queryOptions({
    queryKey: [api.workspace, 'contacts', 'list', query],
    queryFn: ({ signal }) => api.list<Contact>('/contacts', query, signal),
  })
}

export const oneQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: [api.workspace, 'contacts', 'one', id],
    queryFn: ({ signal }) => api.get<ContactWithCrmIds>(`/contacts/${id}`, {}, signal),
  })

/** Everything that a change of contacts may have made old. */
export const staleKeys = (workspace: string) => [
  [workspace, 'contacts'],
  [workspace, 'overview'],
]
