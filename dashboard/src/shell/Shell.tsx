import { useQuery } from '@tanstack/react-query'
import { Navigate, Outlet, useLocation, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { LoadingPage } from '../kit/LoadingPage.tsx'
import { session_query } from '../kit/session.ts'
import { Failure } from '../kit/states.tsx'
import { AccountMenu } from './AccountMenu.tsx'
import { rememberWorkspace } from './last-workspace.ts'
import { Nav } from './Nav.tsx'
import { Nowhere } from './NotFoundPage.tsx'
import styles from './shell.module.css'
import { WorkspaceSwitch } from './WorkspaceSwitch.tsx'

/** Every page of a workspace: who is signed in, which workspace, and the way to the other pages. */
export function Shell() {
  const { data: session, error, refetch } = useQuery(session_query)
  const { workspace = '' } = useParams({ strict: false })
  const { pathname, publicHref } = useLocation()
  const is_member = session?.workspaces.some(({ id }) => id === workspace) ?? false
  useEffect(() => {
    if (is_member) rememberWorkspace(workspace)
  }, [is_member, workspace])

  // biome-ignore lint/correctness/useExhaustiveDependencies: another page begins at its top
  useEffect(() => {
    scrollTo(0, 0)
  }, [pathname])

  if (session === undefined) return error ? <Failure error={error} retry={refetch} /> : <LoadingPage />
  if (session === null) {
    // This is still shown while the page to sign in is loaded: from there it must not lead there again.
    const is_here = pathname.startsWith('/w/')
    return is_here ? <Navigate to="/sign-in" search={{ next: publicHref }} replace /> : <LoadingPage />
  }
  if (!is_member) return <Nowhere />
  return (
    <div className={styles.shell}>
      <div className={styles.side}>
        <WorkspaceSwitch />
        <Nav />
        <AccountMenu />
      </div>
      <main id="main" className={styles.main} key={workspace}>
        <Outlet />
      </main>
    </div>
  )
}
