import { queryOptions } from '@tanstack/react-query'
import type { Api } from '../kit/api.ts'

export type Status = 'queued' | 'running' | 'finished' | 'canceled' | 'failed' | 'undoing' | 'undone'

export interface Import {
  id: string
  status: Status
  is_dry_run: boolean
  file_name: string | null
  on_conflict: 'skip' | 'update'
  default_country: string | null
  columns: string[]
  mapping: Record<string, string | null>
  total: number | null
  done: number
  created: number
  updated: number
  skipped: number
  refused: number
  undo_skipped: number
  error: string | null
  created_at: string
  started_at: string | null
  finished_at: string | null
  undone_at: string | null
}

export const outcomes = ['created', 'updated', 'skipped', 'refused'] as const
export type Outcome = (typeof outcomes)[number]

export interface ImportRow {
  id: string
  row_number: number
  outcome: Outcome
  reason: string | null
  contact_id: string | null
  values: Record<string, string>
}

export const fields = [
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
