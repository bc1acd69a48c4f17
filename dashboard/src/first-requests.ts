import type { QueryClient } from '@tanstack/react-query'
import { contactListQuery } from './contacts/contact.ts'
import { validateContactSearch } from './contacts/search.ts'
import { createApi } from './kit/api.ts'
import { session_query } from './kit/session.ts'
import type { router } from './router.tsx'

/** Asks for the session and the list of contacts while the code of the page is loaded, instead of after it. */
export async function startFirstRequests(client: QueryClient, { latestLocation }: typeof router): Promise<void> {
  const [, workspace, page] = /^\/w\/([^/]+)\/?(.*)$/.exec(latestLocation.pathname) ?? []
  if (!workspace) return
  // Who isn't signed in gets no error for the list.
  const session = await client.ensureQueryData(session_query).catch(() => null)
  if (page !== 'contacts' || !session?.workspaces.some(({ id, is_locked }) => id === workspace && !is_locked)) return
  await client.prefetchQuery(contactListQuery(createApi(workspace), validateContactSearch(latestLocation.search)))
}
