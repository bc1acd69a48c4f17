import { queryOptions } from '@tanstack/react-query'
import type { CustomFieldPath } from '../../../server/contacts/schema.ts'
import type { Import, Outcome } from '../../../server/imports/schema.ts'
import type { Api } from '../kit/api.ts'
import { formatCount } from '../kit/format.ts'
import { withQuery } from '../kit/request.ts'

export const outcomes: Outcome[] = ['created', 'updated', 'skipped', 'refused']

export const isInProgress = ({ status }: Pick<Import, 'status'>): boolean =>
  status === 'queued' || status === 'running' || status === 'undoing'

/** Returns the label of the button that runs a dry run. It is undefined if there is nothing to do. */
export function runLabel({ created, updated, skipped, consent }: Import): string | undefined {
  const changes = created + updated
  if (changes > 0) return `Import ${formatCount(changes, 'contact')}`
  return consent !== null && skipped > 0 ? 'Record consent' : undefined
}

/** No contact has this number, so the export has no rows. */
const unused_number = '+10'
const path_prefix = 'custom_fields.'

export const isCustomField = (field: string | null | undefined): field is CustomFieldPath =>
  field?.startsWith(path_prefix) === true
export const customFieldPath = (name: string): CustomFieldPath => `${path_prefix}${name}`
export const customFieldName = (path: CustomFieldPath): string => path.slice(path_prefix.length)

/** Reads all custom fields of the workspace, by an export, which has a column for each. */
export const customFieldsQuery = (api: Api) =>
  queryOptions({
    queryKey: [api.workspace, 'contacts', 'custom_fields'],
    queryFn: async ({ signal }) => {
      const file = await api.bytes(withQuery('/contacts/export', { phone_number: unused_number }), signal)
      const [columns = ''] = new TextDecoder().decode(file).split(/\r?\n/)
      return columns.split(',').filter(isCustomField)
    },
  })

/** Suggests a name for the custom field of a column. */
export function suggestName(column: string, index: number): string {
  const words =
    column
      .normalize('NFKD')
      .toLowerCase()
      .replace(/\p{M}/gu, '')
      .match(/[a-z0-9]+/g) ?? []
  const name = words.join('_').slice(0, 50)
  return /^[a-z]/.test(name) ? name : `column_${index + 1}`
}

const refetch_ms = 500

/** Polls while the import is in progress. */
export const importQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: [api.workspace, 'imports', id],
    queryFn: ({ signal }) => api.get<Import>(`/contacts/imports/${id}`, {}, signal),
    refetchInterval: ({ state }) => (state.data && isInProgress(state.data) ? refetch_ms : false),
  })
