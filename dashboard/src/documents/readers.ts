import { queryOptions } from '@tanstack/react-query'
import type { Agent, AgentWithDraft } from '../../../server/agents/schema.ts'
import type { Api } from '../kit/api.ts'

/** The newest agents. */
const agents_max = 100

/** What the drafts of agents may look up: lists leave drafts out. */
export const readersQuery = (api: Api) =>
  queryOptions({
    queryKey: [api.workspace, 'agents', 'knowledge'],
    // A draft may have been saved right before.
    staleTime: 0,
    queryFn: async ({ signal }) => {
      const { data } = await api.list<Agent>('/agents', { limit: agents_max }, signal)
      const agents = await Promise.all(data.map(({ id }) => api.get<AgentWithDraft>(`/agents/${id}`, {}, signal)))
      return agents.map(({ id, name, draft }) => ({ id, name, knowledge: draft.knowledge }))
    },
  })
