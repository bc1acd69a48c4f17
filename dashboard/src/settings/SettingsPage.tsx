import { Link, Navigate, Outlet } from '@tanstack/react-router'
import { useWorkspaceId } from '../kit/api.ts'
import { NowContext } from '../kit/now.ts'
import { Page } from '../kit/Page.tsx'
import { useIsOwner, useSession } from '../kit/session.ts'
import { useCurrentLinkInView } from '../kit/useCurrentLinkInView.ts'
import styles from './settings.module.css'

const tabs = [
  { to: '/w/$workspace/settings/api-keys', name: 'API keys', for: 'owner' },
  { to: '/w/$workspace/settings/workspace', name: 'Workspace', for: 'all' },
  { to: '/w/$workspace/settings/members', name: 'Members', for: 'owner' },
  { to: '/w/$workspace/settings/providers', name: 'Model providers', for: 'all' },
  { to: '/w/$workspace/settings/me', name: 'Profile', for: 'all' },
  { to: '/w/$workspace/settings/installation', name: 'Installation', for: 'operator' },
] as const

/** Redirects to the first tab that the role may see. */
export function SettingsRedirect() {
  const workspace = useWorkspaceId()
  const to = useIsOwner() ? '/w/$workspace/settings/api-keys' : '/w/$workspace/settings/workspace'
  return <Navigate to={to} params={{ workspace }} replace />
}

export function SettingsPage() {
  const workspace = useWorkspaceId()
  const is_owner = useIsOwner()
  const bar = useCurrentLinkInView()
  const may = { all: true, owner: is_owner, operator: useSession().is_operator }
  const shown = tabs.filter((tab) => may[tab.for])
  return (
    <Page title="Settings">
      <nav className={styles.tabs} aria-label="Settings" ref={bar}>
        {shown.map(({ to, name }) => (
          <Link key={to} to={to} params={{ workspace }} className={styles.tab} activeProps={{ 'aria-current': 'page' }}>
            {name}
          </Link>
        ))}
      </nav>
      {/* Keys, sessions and invitations go by the real time, also in test workspaces. */}
      <NowContext value={Date.now}>
        <Outlet />
      </NowContext>
    </Page>
  )
}
