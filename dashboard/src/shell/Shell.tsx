import { useQuery } from '@tanstack/react-query'
import { Navigate, Outlet, useLocation, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { TestClockBar } from '../clocks/TestClockBar.tsx'
import { useTestClock } from '../clocks/test-clock.ts'
import { useLiveConversations } from '../conversations/useLiveConversations.ts'
import { LoadingPage } from '../kit/LoadingPage.tsx'
import { NowContext } from '../kit/now.ts'
import { session_query, useIsTest } from '../kit/session.ts'
import { LoadError } from '../kit/states.tsx'
import { AccountMenu } from './AccountMenu.tsx'
import { rememberWorkspace } from './last-workspace.ts'
import { Nav } from './Nav.tsx'
import { NotFoundPage } from './NotFoundPage.tsx'
import styles from './shell.module.css'
import { WorkspaceSwitch } from './WorkspaceSwitch.tsx'

/** Layout of all pages of a workspace. Redirects to the sign-in page without a session. */
export function Shell() {
  const { data: session, error, refetch } = useQuery(session_query)
  const { workspace = '' } = useParams({ strict: false })
  const { pathname, publicHref } = useLocation()
  const is_member = session?.workspaces.some(({ id }) => id === workspace) ?? false
  useEffect(() => {
    if (is_member) rememberWorkspace(workspace)
  }, [is_member, workspace])

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page starts at the top
  useEffect(() => {
    scrollTo(0, 0)
  }, [pathname])

  if (session === undefined) return error ? <LoadError error={error} retry={refetch} /> : <LoadingPage />
  if (session === null) {
    // Still rendered while the sign-in page loads, where it must not redirect again.
    const is_in_workspace = pathname.startsWith('/w/')
    return is_in_workspace ? <Navigate to="/sign-in" search={{ next: publicHref }} replace /> : <LoadingPage />
  }
  if (!is_member) return <NotFoundPage />
  return (
    <div className={styles.shell}>
      <div className={styles.side}>
        <WorkspaceSwitch />
        <Nav />
        <AccountMenu />
      </div>
      <main id="main" className={styles.main} key={workspace}>
        <WorkspaceContent />
      </main>
    </div>
  )
}

/** In a test workspace all times are relative to its clock. */
function WorkspaceContent() {
  useLiveConversations()
  const is_test = useIsTest()
  const { data: clock, error } = useTestClock(is_test)
  const now = clock && Date.parse(clock.now)
  return (
    <NowContext value={now === undefined ? Date.now : () => now}>
      {is_test && <TestClockBar clock={clock} error={error} />}
      <Outlet />
    </NowContext>
  )
}
