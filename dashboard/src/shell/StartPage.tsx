import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { LoadingPage } from '../kit/LoadingPage.tsx'
import { session_query } from '../kit/session.ts'
import { LoadError } from '../kit/states.tsx'
import { lastWorkspace } from './last-workspace.ts'
import { lazyPage } from './lazy-page.tsx'

const NewWorkspacePage = lazyPage(() => import('./NewWorkspace.tsx'), 'NewWorkspacePage')

/** Redirects to the last workspace of this browser, or to the first one. */
export function StartPage() {
  const { data: session, error, refetch } = useQuery(session_query)
  if (error && session === undefined) return <LoadError error={error} retry={refetch} />
  if (session === undefined) return <LoadingPage />
  if (session === null) return <Navigate to="/sign-in" replace />
  const { workspaces } = session
  const workspace = workspaces.find(({ id }) => id === lastWorkspace()) ?? workspaces[0]
  if (!workspace) return <NewWorkspacePage />
  return <Navigate to="/w/$workspace" params={{ workspace: workspace.id }} replace />
}
