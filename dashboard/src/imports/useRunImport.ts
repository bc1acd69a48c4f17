import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Import } from '../../../server/imports/schema.ts'
import { useRefreshContacts } from '../contacts/useRefreshContacts.ts'
import { useApi } from '../kit/api.ts'

/** Creates an import from a finished dry run and opens its page. */
export function useRunImport() {
  const api = useApi()
  const navigate = useNavigate()
  const refresh = useRefreshContacts()
  return useMutation({
    mutationFn: (dry_run_id: string) => api.send<Import>('POST', `/contacts/imports/${dry_run_id}/run`, {}),
    onSuccess: async ({ id }) => {
      await refresh()
      await navigate({ to: '/w/$workspace/imports/$id', params: { workspace: api.workspace, id } })
    },
  })
}
