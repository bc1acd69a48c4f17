import { Link, type LinkProps } from '@tanstack/react-router'
import { useWorkspaceId } from './api.ts'
import styles from './page.module.css'
import { useCurrentLinkInView } from './useCurrentLinkInView.ts'

interface Tab {
  to: LinkProps['to']
  name: string
}

/** Links to pages that belong together, each with its own address. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const workspace = useWorkspaceId()
  const bar = useCurrentLinkInView()
  return (
    <nav className={styles.tabs} aria-label={label} ref={bar}>
      {tabs.map(({ to, name }) => (
        <Link
          key={name}
          to={to as '/w/$workspace/contacts'}
          // The parameters of the page stay, such as the id of what it shows.
          params={(known) => ({ ...known, workspace })}
          activeOptions={{ exact: true, includeSearch: false }}
          activeProps={{ 'aria-current': 'page' }}
        >
          {name}
        </Link>
      ))}
    </nav>
  )
}
