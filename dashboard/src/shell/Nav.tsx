import { Menu, UnstyledButton } from '@mantine/core'
import { Link, useLocation, useNavigate, useParams } from '@tanstack/react-router'
import { useInboxCount } from '../conversations/useLiveConversations.ts'
import { formatNumber } from '../kit/format.ts'
import {
  AgentIcon,
  BlockIcon,
  ChannelIcon,
  ChatIcon,
  DocsIcon,
  EventsIcon,
  HomeIcon,
  ImportIcon,
  InboxIcon,
  MegaphoneIcon,
  MoreIcon,
  PeopleIcon,
  PlugIcon,
  SettingsIcon,
  ToolIcon,
  WebhookIcon,
} from '../kit/icons.tsx'
import { toUrl } from '../kit/request.ts'
import { useCanEdit, useIsOwner } from '../kit/session.ts'
import styles from './shell.module.css'

const home = { to: '/w/$workspace', name: 'Home', Icon: HomeIcon } as const
const inbox = { to: '/w/$workspace/inbox', name: 'Inbox', Icon: InboxIcon } as const
const conversations = { to: '/w/$workspace/conversations', name: 'Conversations', Icon: ChatIcon } as const
const campaigns = { to: '/w/$workspace/campaigns', name: 'Campaigns', Icon: MegaphoneIcon } as const
const contacts = { to: '/w/$workspace/contacts', name: 'Contacts', Icon: PeopleIcon } as const
const imports = { to: '/w/$workspace/imports', name: 'Imports', Icon: ImportIcon } as const
const suppressions = { to: '/w/$workspace/suppressions', name: 'Suppressions', Icon: BlockIcon } as const
const agents = { to: '/w/$workspace/agents', name: 'Agents', Icon: AgentIcon } as const
const channels = { to: '/w/$workspace/channels', name: 'Channels', Icon: ChannelIcon } as const
const tools = { to: '/w/$workspace/tools', name: 'Tools', Icon: ToolIcon } as const
const integrations = { to: '/w/$workspace/integrations', name: 'Integrations', Icon: PlugIcon } as const
const webhooks = { to: '/w/$workspace/webhooks', name: 'Webhooks', Icon: WebhookIcon } as const
const events = { to: '/w/$workspace/events', name: 'Events', Icon: EventsIcon } as const
const settings = { to: '/w/$workspace/settings', name: 'Settings', Icon: SettingsIcon } as const

const groups = [
  { name: undefined, links: [home, inbox] },
  { name: 'Engage', links: [conversations, campaigns, contacts, imports, suppressions] },
  { name: 'Build', links: [agents, channels, tools, integrations] },
  { name: 'Developers', links: [webhooks, events] },
  { name: undefined, links: [settings] },
]
type NavLink = (typeof groups)[number]['links'][number]

const owner_links: NavLink[] = [webhooks, integrations]
const editor_links: NavLink[] = [suppressions]
/** The others are in the menu "More" on a phone. */
const phone_links: NavLink[] = [home, inbox, contacts, agents]

export function Nav() {
  const is_owner = useIsOwner()
  const can_edit = useCanEdit()
  const isShown = (link: NavLink) =>
    (is_owner || !owner_links.includes(link)) && (can_edit || !editor_links.includes(link))
  const shown = groups.map(({ name, links }) => ({ name, links: links.filter(isShown) }))
  return (
    <nav className={styles.nav} aria-label="Main">
      {shown.map(({ name, links }) => (
        <div key={links[0]?.name} className={styles.group}>
          {name && <span className={styles.groupName}>{name}</span>}
          {links.map((link) => (
            <Place key={link.name} link={link} />
          ))}
          {name === 'Developers' && (
            <a className={styles.link} href={toUrl('/docs')} target="_blank" rel="noreferrer">
              <DocsIcon size={19} />
              <span>Docs</span>
            </a>
          )}
        </div>
      ))}
      <More links={shown.flatMap(({ links }) => links).filter((link) => !phone_links.includes(link))} />
    </nav>
  )
}

function Place({ link }: { link: NavLink }) {
  const { workspace = '' } = useParams({ strict: false })
  const { to, name, Icon } = link
  const { pathname } = useLocation()
  // Calls are among the conversations, and have another address.
  const is_call = link === conversations && pathname.startsWith(`/w/${workspace}/calls/`)
  return (
    <Link
      to={to}
      params={{ workspace }}
      className={styles.link}
      data-phone={phone_links.includes(link)}
      activeOptions={{ exact: link === home, includeSearch: false }}
      activeProps={{ 'aria-current': 'page' }}
      {...(is_call && { 'aria-current': 'page' })}
    >
      <Icon size={19} />
      <span>{name}</span>
      {link === inbox && <InboxCount />}
    </Link>
  )
}

function InboxCount() {
  const count = useInboxCount()
  if (count === 0) return null
  return (
    <span className={styles.count}>
      {formatNumber(count)}
      <span className={styles.visuallyHidden}> waiting</span>
    </span>
  )
}

function More({ links }: { links: NavLink[] }) {
  const { workspace = '' } = useParams({ strict: false })
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const isCurrent = ({ to }: NavLink) => pathname.startsWith(to.replace('$workspace', workspace))
  return (
    <Menu position="top-end" width={220}>
      <Menu.Target>
        <UnstyledButton className={styles.more} data-current={links.some(isCurrent)}>
          <MoreIcon size={19} />
          <span>More</span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        {links.map(({ to, name, Icon }) => (
          <Menu.Item
            key={name}
            leftSection={<Icon size={16} />}
            onClick={() => void navigate({ to, params: { workspace } })}
          >
            {name}
          </Menu.Item>
        ))}
        <Menu.Item component="a" href={toUrl('/docs')} target="_blank" leftSection={<DocsIcon size={16} />}>
          Docs
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
