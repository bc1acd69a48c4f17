import { useQueryClient } from '@tanstack/react-query'
import { useWorkspaceId } from '../kit/api.ts'

/** Reads the agents again, with their versions and deployments. */
export function useRefreshAgents(): () => Promise<void> {
  const client = useQueryClient()
  const workspace = useWorkspaceId()
  return () => client.invalidateQueries({ queryKey: [workspace, 'agents'] })
}
