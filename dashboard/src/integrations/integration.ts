import { queryOptions } from '@tanstack/react-query'
import type { Integration, Receipt } from '../../../server/integrations/schema.ts'
import type { Api } from '../kit/api.ts'
import type { Tone } from '../kit/Status.tsx'

export type Outcome = Receipt['outcome']

export const outcome_names: Record<Outcome, string> = {
  created: 'Created',
  updated: 'Updated',
  unchanged: 'Unchanged',
  refused: 'Rejected',
}
export const outcome_tones: Record<Outcome, Tone> = {
  created: 'success',
  updated: 'success',
  unchanged: 'neutral',
  refused: 'danger',
}

/** Replaces the names that fields have in the API, of which the service speaks. */
export const describeReason = (reason: string): string =>
  reason
    .replace('The field map has no phone_number yet.', 'Map a field to the phone number.')
    .replace(/^phone_number must be in E\.164 form, such as \+\d+\./, 'The phone number has no country code.')
    .replace('To accept numbers without a country code, set default_country.', 'Choose a default country.')
    .replace(/^phone_number /, 'The phone number ')

const refetch_ms = 3_000

export const integrationQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: [api.workspace, 'integrations', id],
    queryFn: ({ signal }) => api.get<Integration>(`/integrations/${id}`, {}, signal),
  })

export const receiptsQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: [api.workspace, 'integrations', id, 'receipts'],
    queryFn: ({ signal }) => api.list<Receipt>(`/integrations/${id}/receipts`, { limit: 50 }, signal),
    refetchInterval: refetch_ms,
  })

/** Appends one segment to a JSON pointer (RFC 6901). */
export const pointerTo = (pointer: string, name: string | number): string =>
  `${pointer}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`
