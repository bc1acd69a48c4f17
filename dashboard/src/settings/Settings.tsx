import { Link, Outlet } from '@tanstack/react-router'
import { useWorkspaceId } from '../kit/api.ts'
import { Page } from '../kit/Page.tsx'
import styles from './settings.module.css'

const parts = [
  { to: '/w/$workspace/settings/api-keys', name: 'API Keys' },
  { to: '/w/$workspace/settings/workspace', name: 'Workspace' },
  { to: '/w/$workspace/settings/members', name: 'Members' },
  { to: '/w/$workspace/settings/me', name: 'You' },
] as const

export function Settings() {
  const workspace = useWorkspaceId()
  return (
    <Page title="Settings">
      <nav className={styles.parts} aria-label="Settings">
        {parts.map(({ to, name }) => (
          <Link
            key={to}
            to={to}
            params={{ workspace }}
            className={styles.part}
            activeProps={{ 'aria-current': 'page' }}
          >
            {name}
          </Link>
        ))}
      </nav>
      <Outlet />
    </Page>
  )
}
