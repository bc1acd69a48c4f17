import { queryOptions } from '@tanstack/react-query'
import type {
  Agent,
  AgentVersion,
  AgentVersionWithConfiguration,
  Difference,
  NamedAuthor,
} from '../../../server/agents/schema.ts'
import type { Api } from '../kit/api.ts'

export const versionsQuery = (api: Api, agent_id: string) =>
  queryOptions({
    queryKey: [api.workspace, 'agents', agent_id, 'versions'],
    queryFn: ({ signal }) => api.list<AgentVersion>(`/agents/${agent_id}/versions`, { limit: 100 }, signal),
  })

/** Reads a version, which never changes. */
export const versionQuery = (api: Api, agent_id: string, id: string) =>
  queryOptions({
    queryKey: [api.workspace, 'agents', agent_id, 'versions', id],
    queryFn: ({ signal }) => api.get<AgentVersionWithConfiguration>(`/agents/${agent_id}/versions/${id}`, {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Reads what changes from one version to another, or to the draft as it was saved last. */
export const differenceQuery = (api: Api, agent: Agent, { from, to }: { from: string; to: string }) =>
  queryOptions({
    queryKey: [api.workspace, 'agents', agent.id, 'difference', from, to, to === 'draft' && agent.updated_at],
    queryFn: ({ signal }) => api.get<Difference>(`/agents/${agent.id}/versions/${from}/diff`, { against: to }, signal),
  })

export function authorName(author: NamedAuthor | null): string {
  if (author?.kind === 'command') return 'Command line'
  return author?.name ?? (author?.kind === 'api_key' ? 'Deleted API key' : 'Unknown')
}
