import { queryOptions } from '@tanstack/react-query'
import type { Field } from '../../../server/contacts/schema.ts'
import type { Import, Outcome } from '../../../server/imports/schema.ts'
import type { Api } from '../kit/api.ts'

export const outcomes: Outcome[] = ['created', 'updated', 'skipped', 'refused']

export const fields: { value: Field; label: string }[] = [
  { value: 'phone_number', label: 'Phone number' },
  { value: 'first_name', label: 'First name' },
  { value: 'last_name', label: 'Last name' },
  { value: 'display_name', label: 'Display name' },
  { value: 'email', label: 'Email' },
  { value: 'company', label: 'Company' },
  { value: 'notes', label: 'Notes' },
  { value: 'tags', label: 'Tags' },
]

export const isAtWork = ({ status }: Pick<Import, 'status'>): boolean =>
  status === 'queued' || status === 'running' || status === 'undoing'

const look_again_ms = 500

/** Asks again and again while it is at work, so that the page may be left and come back to. */
export const importQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: [api.workspace, 'imports', id],
    queryFn: ({ signal }) => api.get<Import>(`/contacts/imports/${id}`, {}, signal),
    refetchInterval: ({ state }) => (state.data && isAtWork(state.data) ? look_again_ms : false),
  })
