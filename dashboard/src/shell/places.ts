import {
  AgentIcon,
  ChannelIcon,
  ChatIcon,
  EventsIcon,
  FileIcon,
  HomeIcon,
  InboxIcon,
  KeyIcon,
  MegaphoneIcon,
  PeopleIcon,
  PlugIcon,
  SettingsIcon,
  ToolIcon,
  WebhookIcon,
} from '../kit/icons.tsx'

/**
 * The pages that the sidebar, the breadcrumbs and the palette name. `also` has other addresses that belong to a page.
 */
const home = { to: '/w/$workspace', name: 'Home', Icon: HomeIcon, is_on_phone: true } as const
const inbox = { to: '/w/$workspace/inbox', name: 'Inbox', Icon: InboxIcon, is_on_phone: true } as const
const conversations = {
  to: '/w/$workspace/conversations',
  name: 'Conversations',
  Icon: ChatIcon,
  also: ['/calls'],
} as const
const campaigns = { to: '/w/$workspace/campaigns', name: 'Campaigns', Icon: MegaphoneIcon } as const
const contacts = {
  to: '/w/$workspace/contacts',
  name: 'Contacts',
  Icon: PeopleIcon,
  is_on_phone: true,
  also: ['/imports', '/suppressions'],
} as const
const agents = { to: '/w/$workspace/agents', name: 'Agents', Icon: AgentIcon, is_on_phone: true } as const
const knowledge = { to: '/w/$workspace/knowledge', name: 'Knowledge', Icon: FileIcon } as const
const tools = { to: '/w/$workspace/tools', name: 'Tools', Icon: ToolIcon } as const
const channels = { to: '/w/$workspace/channels', name: 'Channels', Icon: ChannelIcon } as const
const integrations = {
  to: '/w/$workspace/integrations',
  name: 'Integrations',
  Icon: PlugIcon,
  is_for_owners: true,
} as const
const api_keys = { to: '/w/$workspace/api-keys', name: 'API keys', Icon: KeyIcon, is_for_owners: true } as const
const webhooks = { to: '/w/$workspace/webhooks', name: 'Webhooks', Icon: WebhookIcon, is_for_owners: true } as const
const events = { to: '/w/$workspace/events', name: 'Events', Icon: EventsIcon } as const
const settings = { to: '/w/$workspace/settings', name: 'Settings', Icon: SettingsIcon, has_tabs: true } as const

const groups = [
  { name: undefined, places: [home, inbox] },
  { name: 'Engage', places: [conversations, campaigns, contacts] },
  { name: 'Build', places: [agents, knowledge, tools, channels, integrations] },
  { name: 'Developers', places: [api_keys, webhooks, events] },
  { name: undefined, places: [settings] },
] as const

type KnownPlace = (typeof groups)[number]['places'][number]

export interface Place {
  to: KnownPlace['to']
  name: KnownPlace['name']
  Icon: KnownPlace['Icon']
  is_on_phone?: boolean
  is_for_owners?: boolean
  also?: readonly string[]
  /** Whether all pages below it are tabs of one page. */
  has_tabs?: boolean
}

export interface PlaceGroup {
  name: string | undefined
  places: readonly Place[]
}

export const groupsFor = (is_owner: boolean): PlaceGroup[] =>
  (groups as readonly PlaceGroup[]).map(({ name, places }) => ({
    name,
    places: places.filter(({ is_for_owners }) => is_owner || !is_for_owners),
  }))

/** Whether the address is this page, or one below it. */
export function isAt({ to, also = [] }: Place, pathname: string): boolean {
  const [, path = ''] = /^\/w\/[^/]+(\/.*?)?\/?$/.exec(pathname) ?? []
  const own = to.replace('/w/$workspace', '')
  if (own === '') return path === ''
  return [own, ...also].some((start) => path === start || path.startsWith(`${start}/`))
}
