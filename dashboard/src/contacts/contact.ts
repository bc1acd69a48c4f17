import { queryOptions } from '@tanstack/react-query'
import type { Api } from '../kit/api.ts'
import type { ContactSearch, Source } from './search.ts'

export interface Contact {
  id: string
  phone_number: string
  first_name: string | null
  last_name: string | null
  display_name: string | null
  email: string | null
  company: string | null
  notes: string | null
  tags: string[]
  source: Source
  first_contact_at: string | null
  last_contact_at: string | null
  created_at: string
  updated_at: string
  crm_ids?: Record<string, string>
}

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
    queryFn: ({ signal }) => api.get<Contact>(`/contacts/${id}`, {}, signal),
  })

/** Everything that a change of contacts may have made old. */
export const staleKeys = (workspace: string) => [
  [workspace, 'contacts'],
  [workspace, 'overview'],
]
