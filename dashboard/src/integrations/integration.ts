import { queryOptions } from '@tanstack/react-query'
import type { Integration, Receipt } from '../../../server/integrations/schema.ts'
import { fields } from '../imports/import.ts'
import type { Api } from '../kit/api.ts'

export type Outcome = Receipt['outcome']

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
