import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import type { CurrentSession, Session } from '../../../server/people/schema.ts'
import { useWorkspaceId } from './api.ts'
import { createClient } from './request.ts'

export type Membership = Session['workspaces'][number]

const session_key = ['session']

/**
 * Reads the session. It is null for people who are not signed in. A session that expires is kept, and so is the page:
 * `useIsExpired` tells it, and the person signs in over the page.
 */
export const session_query = queryOptions({
  queryKey: session_key,
  staleTime: 60_000,
  queryFn: async ({ signal, client }): Promise<Session | null> => {
    const { person, ...session } = await createClient().get<CurrentSession>('/app/session', {}, { signal })
    const before = client.getQueryData<Session | null>(session_key)
    // Someone else has signed in, in another tab, and must not see what the page holds.
    if (before && person && before.person.id !== person.id) {
      location.reload()
      throw new Error('someone else is signed in')
    }
    client.setQueryData(expired_key, !person && Boolean(before))
    return person ? { person, ...session } : (before ?? null)
  },
})

const expired_key = ['session_expired']

export const useIsExpired = (): boolean =>
  useQuery({ queryKey: expired_key, queryFn: () => false, enabled: false, initialData: false }).data

/** Returns the session. Only pages below the shell may use it, which renders nothing without a session. */
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

/** Whether the person may edit contacts, imports and agents, answer in conversations, and export contacts. */
export const useCanEdit = (): boolean => {
  const role = useMembership()?.role
  return role === 'owner' || role === 'member'
}

/** Goes on after the person has signed in over the page: everything is read again, and nothing on the page is lost. */
export function useContinueSession(): (session: Session) => void {
  const client = useQueryClient()
  return (session) => {
    const before = client.getQueryData<Session | null>(session_key)
    // Someone else must not see what the page holds.
    if (before && before.person.id !== session.person.id) return location.reload()
    client.setQueryData(session_key, session)
    client.setQueryData(expired_key, false)
    void client.invalidateQueries()
  }
}

/** Signs in, or out with null. Drops everything cached for the previous person. */
export function useSetSession(): (session: Session | null) => void {
  const client = useQueryClient()
  return (session) => {
    client.setQueryData(session_query.queryKey, session)
    client.setQueryData(expired_key, false)
    client.removeQueries({
      predicate: ({ queryKey }) => ![session_key[0], expired_key[0]].includes(String(queryKey[0])),
    })
  }
}
