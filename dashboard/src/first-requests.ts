import type { QueryClient } from '@tanstack/react-query'
import { contactListQuery } from './contacts/contact.ts'
import { validateContactSearch } from './contacts/search.ts'
import { createApi } from './kit/api.ts'
import { session_query } from './kit/session.ts'
import type { router as Router } from './router.tsx'
import { lastWorkspace } from './shell/last-workspace.ts'

/** Asks for the code of the page, the session and the list of contacts at the same time, before anything is rendered. */
export async function startFirstRequests(client: QueryClient, router: typeof Router): Promise<void> {
  const { pathname, search } = router.latestLocation
  const [routes, { workspace }, found] = router.getMatchedRoutes(pathname)
  for (const route of routes) void router.loadRouteChunk(route)
  if (!workspace) return
  const session_request = client.ensureQueryData(session_query).catch(() => null)
  if (found?.fullPath !== '/w/$workspace/contacts') return
  // The list is likely to be allowed in the workspace that this browser has shown last. For others, the session tells
  // first.
  if (workspace !== lastWorkspace()) {
    const session = await session_request
    if (!session?.workspaces.some(({ id, is_locked }) => id === workspace && !is_locked)) return
  }
  await client.prefetchQuery(contactListQuery(createApi(workspace), validateContactSearch(search)))
}
