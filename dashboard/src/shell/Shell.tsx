import { ActionIcon } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Navigate, Outlet, useLocation, useParams } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { useTestClock } from '../clocks/test-clock.ts'
import { useLiveConversations } from '../conversations/useLiveConversations.ts'
import { WorkspaceEventsProvider } from '../events/workspace-events.tsx'
import { useIsConnected } from '../kit/connection.ts'
import { SidebarIcon } from '../kit/icons.tsx'
import { LoadingPage } from '../kit/LoadingPage.tsx'
import { lazyPart } from '../kit/lazy-part.tsx'
import { NowContext } from '../kit/now.ts'
import { BreadcrumbContext } from '../kit/Page.tsx'
import { session_query, useIsExpired, useIsTest } from '../kit/session.ts'
import { LoadError } from '../kit/states.tsx'
import { dismissOldToasts, showErrorMessage } from '../kit/toast.ts'
import { UnsavedGuard } from '../kit/unsaved.tsx'
import { TwoFactorGate } from '../people/TwoFactorGate.tsx'
import { AccountButton } from './AccountButton.tsx'
import { Breadcrumb } from './Breadcrumb.tsx'
import { rememberWorkspace } from './last-workspace.ts'
import { Nav } from './Nav.tsx'
import { BareNotFoundPage } from './NotFoundPage.tsx'
import { Shortcuts } from './Shortcuts.tsx'
import styles from './shell.module.css'
import { WorkspaceSwitch } from './WorkspaceSwitch.tsx'

/** The layout of all pages of a workspace. Redirects to the sign-in page without a session. */
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
    dismissOldToasts()
  }, [pathname])

  if (session === undefined)
    return error ? (
      <main id="main">
        <OfflineBar />
        <LoadError error={error} retry={refetch} />
      </main>
    ) : (
      <LoadingPage />
    )
  if (session === null) {
    // The shell is still rendered while the sign-in page loads, where it must not redirect again.
    const is_in_workspace = pathname.startsWith('/w/')
    return is_in_workspace ? <Navigate to="/sign-in" search={{ next: publicHref }} replace /> : <LoadingPage />
  }
  if (!is_member) return <BareNotFoundPage />
  return (
    <TwoFactorGate key={workspace}>
      <WorkspaceEventsProvider>
        <WorkspaceShell />
      </WorkspaceEventsProvider>
    </TwoFactorGate>
  )
}

/** Shows a message instead if a new version of the service has replaced the file of the dialog. */
const SignInDialog = lazyPart(() =>
  import('../people/SignInDialog.tsx').then(
    ({ SignInDialog }) => SignInDialog,
    () => SignInElsewhere,
  ),
)

function SignInElsewhere() {
  useEffect(() => showErrorMessage('Your session has ended. Sign in in another tab, then come back to this one.'), [])
  return null
}

const TestClockChip = lazyPart(async () => (await import('../clocks/TestClockChip.tsx')).TestClockChip)

const breadcrumb = <Breadcrumb />

/** Renders a workspace. In a test workspace all times are relative to its clock. */
function WorkspaceShell() {
  useLiveConversations()
  const is_test = useIsTest()
  const { data: clock, error } = useTestClock(is_test)
  const now = clock && Date.parse(clock.now)
  const is_connected = useIsConnected()
  const [is_collapsed, setCollapsed] = useIsCollapsed()
  return (
    <NowContext value={now === undefined ? Date.now : () => now}>
      {useIsExpired() && <SignInDialog />}
      <div className={styles.shell} data-collapsed={is_collapsed}>
        <div className={styles.side}>
          <div className={styles.sideHead}>
            <WorkspaceSwitch />
            <ActionIcon
              className={styles.collapse}
              variant="subtle"
              color="gray"
              aria-label={is_collapsed ? 'Expand sidebar' : 'Collapse sidebar'}
              aria-expanded={!is_collapsed}
              onClick={() => setCollapsed((before) => !before)}
            >
              <SidebarIcon size={16} />
            </ActionIcon>
          </div>
          <Shortcuts />
          {is_test && <TestClockChip clock={clock} error={error} />}
          <Nav />
          <AccountButton />
        </div>
        <Main is_connected={is_connected}>
          <UnsavedGuard>
            <BreadcrumbContext value={breadcrumb}>
              <Outlet />
            </BreadcrumbContext>
          </UnsavedGuard>
        </Main>
      </div>
    </NowContext>
  )
}

const Main = ({ is_connected, children }: { is_connected: boolean; children: ReactNode }) => (
  <main id="main" className={styles.main} data-offline={!is_connected || undefined}>
    <OfflineBar />
    {children}
  </main>
)

/** Whether the sidebar shows icons only, in this browser. */
function useIsCollapsed(): [boolean, (change: (is_collapsed: boolean) => boolean) => void] {
  const [is_collapsed, setCollapsed] = useLocalStorage({
    key: 'parley-sidebar-collapsed',
    defaultValue: false,
    getInitialValueInEffect: false,
  })
  return [is_collapsed, setCollapsed]
}

/** Says that the server can't be reached. The element is always in the page, so that screen readers announce it. */
function OfflineBar() {
  const is_connected = useIsConnected()
  return (
    <div role="status" className={styles.offline} data-shown={!is_connected}>
      {!is_connected && 'Can’t reach the server. Trying again… What you see may be out of date.'}
    </div>
  )
}
