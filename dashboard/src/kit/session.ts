import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import type { PerhapsSession, Session } from '../../../server/people/schema.ts'
import { useWorkspaceId } from './api.ts'
import { request } from './request.ts'

export type Membership = Session['workspaces'][number]

/** null: nobody is signed in. */
export const session_query = queryOptions({
  queryKey: ['session'],
  staleTime: 60_000,
  queryFn: async ({ signal }) => {
    const { person, workspaces } = await request<PerhapsSession>('/app/session', { signal })
    return person && { person, workspaces }
  },
})

/** For pages that are shown only to who is signed in. */
export function useSession(): Session {
  const { data } = useQuery(session_query)
  if (!data) throw new Error('nobody is signed in')
  return data
}

export function useMembership(): Membership | undefined {
  const workspace = useWorkspaceId()
  return useSession().workspaces.find(({ id }) => id === workspace)
}

export const useIsOwner = (): boolean => useMembership()?.role === 'owner'

/** Whether contacts, imports and agents may be changed, and contacts exported: viewers only look. */
export const useCanEdit = (): boolean => {
  const role = useMembership()?.role
  return role === 'owner' || role === 'member'
}

/** Another person is here, or with null nobody: what the one before has seen goes. */
export function useEnter(): (session: Session | null) => void {
  const client = useQueryClient()
  return (session) => {
    client.setQueryData(session_query.queryKey, session)
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== session_query.queryKey[0] })
  }
}
