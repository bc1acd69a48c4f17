import { queryOptions } from '@tanstack/react-query'
import type { Import, Outcome } from '../../../server/imports/schema.ts'
import type { Api } from '../kit/api.ts'
import { formatCount } from '../kit/format.ts'

export const outcomes: Outcome[] = ['created', 'updated', 'skipped', 'refused']

export const isInProgress = ({ status }: Pick<Import, 'status'>): boolean =>
  status === 'queued' || status === 'running' || status === 'undoing'

/** The label of the button that runs a dry run. Undefined if there is nothing to do. */
export function runLabel({ created, updated, skipped, consent }: Import): string | undefined {
  const changes = created + updated
  if (changes > 0) return `Import ${formatCount(changes, 'contact')}`
  return consent !== null && skipped > 0 ? 'Record consent' : undefined
}

const refetch_ms = 500

/** Polls while the import is in progress. */
export const importQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: [api.workspace, 'imports', id],
    queryFn: ({ signal }) => api.get<Import>(`/contacts/imports/${id}`, {}, signal),
    refetchInterval: ({ state }) => (state.data && isInProgress(state.data) ? refetch_ms : false),
  })
