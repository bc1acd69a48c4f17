import { queryOptions, useQuery } from '@tanstack/react-query'
import type {
  Agent,
  AgentVersion,
  AgentVersionWithConfiguration,
  Author,
  Difference,
} from '../../../server/agents/schema.ts'
import type { Member } from '../../../server/people/schema.ts'
import { type Api, useWorkspaceId } from '../kit/api.ts'
import { createClient } from '../kit/request.ts'
import { useIsOwner, useSession } from '../kit/session.ts'

export const versionsQuery = (api: Api, agent_id: string) =>
  queryOptions({
    queryKey: [api.workspace, 'agents', agent_id, 'versions'],
    queryFn: ({ signal }) => api.list<AgentVersion>(`/agents/${agent_id}/versions`, { limit: 100 }, signal),
  })

/** A version never changes. */
export const versionQuery = (api: Api, agent_id: string, id: string) =>
  queryOptions({
    queryKey: [api.workspace, 'agents', agent_id, 'versions', id],
    queryFn: ({ signal }) => api.get<AgentVersionWithConfiguration>(`/agents/${agent_id}/versions/${id}`, {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** What changes from one version to another, or to the draft as it was saved last. */
export const differenceQuery = (api: Api, agent: Agent, { from, to }: { from: string; to: string }) =>
  queryOptions({
    queryKey: [api.workspace, 'agents', agent.id, 'difference', from, to, to === 'draft' && agent.updated_at],
    queryFn: ({ signal }) => api.get<Difference>(`/agents/${agent.id}/versions/${from}/diff`, { against: to }, signal),
  })

/** Only owners can read who the members are. */
export function useAuthorName(): (author: Author | null) => string {
  const workspace = useWorkspaceId()
  const { person } = useSession()
  const { data } = useQuery({
    queryKey: [workspace, 'members'],
    queryFn: ({ signal }) => createClient(workspace).list<Member>('/app/members', {}, { signal }),
    enabled: useIsOwner(),
  })
  return (author) => {
    if (author?.kind === 'api_key') return 'API key'
    if (author?.kind === 'command') return 'Command line'
    if (author?.id === person.id) return person.name
    return data?.data.find(({ person_id }) => person_id === author?.id)?.name ?? 'Unknown'
  }
}
