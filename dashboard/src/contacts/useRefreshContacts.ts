import { useQueryClient } from '@tanstack/react-query'
import { useWorkspaceId } from '../kit/api.ts'
import { staleKeys } from './contact.ts'

/** Call it after contacts were changed: what is shown of them is asked for anew. */
export function useStale(): () => Promise<unknown> {
  const client = useQueryClient()
  const workspace = useWorkspaceId()
  return () => Promise.all(staleKeys(workspace).map((queryKey) => client.invalidateQueries({ queryKey })))
}
