import { Link, useParams } from '@tanstack/react-router'
import {
  AgentIcon,
  EventsIcon,
  HomeIcon,
  ImportIcon,
  PeopleIcon,
  PlugIcon,
  SettingsIcon,
  ToolIcon,
  WebhookIcon,
} from '../kit/icons.tsx'
import { useIsOwner } from '../kit/session.ts'
import { useCurrentLinkInView } from '../kit/useCurrentLinkInView.ts'
import styles from './shell.module.css'

const links = [
  { to: '/w/$workspace', name: 'Home', Icon: HomeIcon },
  { to: '/w/$workspace/contacts', name: 'Contacts', Icon: PeopleIcon },
  { to: '/w/$workspace/imports', name: 'Imports', Icon: ImportIcon },
  { to: '/w/$workspace/agents', name: 'Agents', Icon: AgentIcon },
  { to: '/w/$workspace/tools', name: 'Tools', Icon: ToolIcon },
  { to: '/w/$workspace/events', name: 'Events', Icon: EventsIcon },
  { to: '/w/$workspace/webhooks', name: 'Webhooks', Icon: WebhookIcon },
  { to: '/w/$workspace/integrations', name: 'Integrations', Icon: PlugIcon },
  { to: '/w/$workspace/settings', name: 'Settings', Icon: SettingsIcon },
] as const

const owner_links: string[] = ['Webhooks', 'Integrations']

export function Nav() {
  const { workspace = '' } = useParams({ strict: false })
  const is_owner = useIsOwner()
  const shown = links.filter(({ name }) => is_owner || !owner_links.includes(name))
  const nav = useCurrentLinkInView()
  return (
    <nav className={styles.nav} aria-label="Main" ref={nav}>
      {shown.map(({ to, name, Icon }) => (
        <Link
          key={to}
          to={to}
          params={{ workspace }}
          className={styles.link}
          activeOptions={{ exact: name === 'Home', includeSearch: false }}
          activeProps={{ 'aria-current': 'page' }}
        >
          <Icon size={19} />
          <span>{name}</span>
        </Link>
      ))}
    </nav>
  )
}
