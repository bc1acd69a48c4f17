import { useQueryClient } from '@tanstack/react-query'
import { useWorkspaceId } from '../kit/api.ts'

/** Refetches everything that depends on contacts. Call it after a change. */
export function useRefreshContacts(): () => Promise<unknown> {
  const client = useQueryClient()
  const workspace = useWorkspaceId()
  const keys = [
    [workspace, 'contacts'],
    [workspace, 'home'],
  ]
  return () => Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })))
}
