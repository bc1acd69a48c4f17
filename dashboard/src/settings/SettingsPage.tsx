import { Navigate, Outlet } from '@tanstack/react-router'
import { useWorkspaceId } from '../kit/api.ts'
import { NowContext } from '../kit/now.ts'
import { Page } from '../kit/Page.tsx'
import { useIsOwner, useSession } from '../kit/session.ts'
import { Tabs } from '../kit/Tabs.tsx'

const tabs = [
  { to: '/w/$workspace/settings/workspace', name: 'Workspace', for: 'all' },
  { to: '/w/$workspace/settings/members', name: 'Members', for: 'owner' },
  { to: '/w/$workspace/settings/providers', name: 'Model providers', for: 'all' },
  { to: '/w/$workspace/settings/speech', name: 'Speech', for: 'all' },
  { to: '/w/$workspace/settings/audit-log', name: 'Audit log', for: 'owner' },
  { to: '/w/$workspace/settings/installation', name: 'Installation', for: 'operator' },
] as const

export function SettingsRedirect() {
  const workspace = useWorkspaceId()
  return <Navigate to="/w/$workspace/settings/workspace" params={{ workspace }} replace />
}

export function SettingsPage() {
  const is_owner = useIsOwner()
  const may = { all: true, owner: is_owner, operator: useSession().is_operator }
  const shown = tabs.filter((tab) => may[tab.for])
  return (
    <Page title="Settings" browser_title={null} tabs={<Tabs label="Settings" tabs={shown} />}>
      {/* Keys, sessions and invitations go by the real time, also in test workspaces. */}
      <NowContext value={Date.now}>
        <Outlet />
      </NowContext>
    </Page>
  )
}
