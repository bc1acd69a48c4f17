import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import type { CurrentSession, Session } from '../../../server/people/schema.ts'
import { useWorkspaceId } from './api.ts'
import { createClient } from './request.ts'

export type Membership = Session['workspaces'][number]

/** null: not signed in. */
export const session_query = queryOptions({
  queryKey: ['session'],
  staleTime: 60_000,
  queryFn: async ({ signal }) => {
    const { person, ...session } = await createClient().get<CurrentSession>('/app/session', {}, { signal })
    return person && { person, ...session }
  },
})

/** Only for pages below the shell, which renders nothing without a session. */
export function useSession(): Session {
  const { data } = useQuery(session_query)
  if (!data) throw new Error('there is no session')
  return data
}

export function useMembership(): Membership | undefined {
  const workspace = useWorkspaceId()
  return useSession().workspaces.find(({ id }) => id === workspace)
}

export const useIsTest = (): boolean => useMembership()?.kind === 'test'

export const useIsOwner = (): boolean => useMembership()?.role === 'owner'

/** Editing contacts, imports and agents, answering in conversations, and exporting contacts. */
export const useCanEdit = (): boolean => {
  const role = useMembership()?.role
  return role === 'owner' || role === 'member'
}

/** Signs in, or out with null. Drops everything cached for the previous person. */
export function useSetSession(): (session: Session | null) => void {
  const client = useQueryClient()
  return (session) => {
    client.setQueryData(session_query.queryKey, session)
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== session_query.queryKey[0] })
  }
}
