import { queryOptions } from '@tanstack/react-query'
import type { Agent, AgentWithDraft } from '../../../server/agents/schema.ts'
import type { Api } from '../kit/api.ts'

/** Only this many agents, the newest, are read. */
const agents_max = 100

/** Reads what the drafts of agents may look up. Each agent is read, because lists leave drafts out. */
export const readersQuery = (api: Api) =>
  queryOptions({
    queryKey: [api.workspace, 'agents', 'knowledge'],
    // The drafts are read again, because one may have been saved right before.
    staleTime: 0,
    queryFn: async ({ signal }) => {
      const { data } = await api.list<Agent>('/agents', { limit: agents_max }, signal)
      const agents = await Promise.all(data.map(({ id }) => api.get<AgentWithDraft>(`/agents/${id}`, {}, signal)))
      return agents.map(({ id, name, draft }) => ({ id, name, knowledge: draft.knowledge }))
    },
  })
