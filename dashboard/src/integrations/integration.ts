import { queryOptions } from '@tanstack/react-query'
import { fields } from '../imports/import.ts'
import type { Api } from '../kit/api.ts'

export interface FieldMap {
  crm_ids?: Record<string, string>
  [field: string]: string | Record<string, string> | undefined
}

export interface Integration {
  id: string
  name: string
  status: 'active' | 'disabled'
  /** Null when it can no longer be shown. */
  url: string | null
  field_map: FieldMap
  default_country: string | null
  is_signed: boolean
  last_received_at: string | null
  created_at: string
  updated_at: string
}

export const outcomes = ['created', 'updated', 'unchanged', 'refused'] as const
export type Outcome = (typeof outcomes)[number]

export interface Receipt {
  id: string
  outcome: Outcome
  reasons: string[]
  contact_id: string | null
  payload: unknown
  received_at: string
}

export interface DryRun {
  outcome: Outcome
  reasons: string[]
  contact_id: string | null
  contact: Record<string, unknown> | null
}

export { fields }

export const outcome_names: Record<Outcome, string> = {
  created: 'Created',
  updated: 'Updated',
  unchanged: 'Unchanged',
  refused: 'Rejected',
}
export const outcome_colors: Record<Outcome, string> = {
  created: 'teal',
  updated: 'blue',
  unchanged: 'gray',
  refused: 'red',
}

const look_again_ms = 3_000

export const integrationQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: [api.workspace, 'integrations', id],
    queryFn: ({ signal }) => api.get<Integration>(`/integrations/${id}`, {}, signal),
  })

/** Asks again and again, so that what arrives is seen. */
export const receiptsQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: [api.workspace, 'integrations', id, 'receipts'],
    queryFn: ({ signal }) => api.list<Receipt>(`/integrations/${id}/receipts`, { limit: 50 }, signal),
    refetchInterval: look_again_ms,
  })

/** One part of a JSON pointer: RFC 6901. */
export const pointerTo = (pointer: string, name: string | number): string =>
  `${pointer}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`
