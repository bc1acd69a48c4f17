import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { validateCampaignSearch } from './campaigns/search.ts'
import { validateContactSearch } from './contacts/search.ts'
import { validateConversationSearch } from './conversations/search.ts'
import { isPhoneNumber } from './kit/phone-number.ts'
import { NotFoundPage } from './shell/NotFoundPage.tsx'
import { editorsOnly, ownersOnly } from './shell/RoleRequired.tsx'
import { Root } from './shell/Root.tsx'
import { Shell } from './shell/Shell.tsx'
import { StartPage } from './shell/StartPage.tsx'

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

const root = createRootRoute({ component: Root, notFoundComponent: NotFoundPage })

const start = createRoute({ getParentRoute: () => root, path: '/', component: StartPage })
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: ({ next }: Record<string, unknown>): { next?: string } =>
    typeof next === 'string' && /^\/(?!\/)/.test(next) ? { next } : {},
  component: lazyRouteComponent(() => import('./people/SignInPage.tsx'), 'SignInPage'),
})
const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup/$token',
  component: lazyRouteComponent(() => import('./people/SetupPage.tsx'), 'SetupPage'),
})
const invite = createRoute({
  getParentRoute: () => root,
  path: '/invite/$token',
  component: lazyRouteComponent(() => import('./people/InvitationPage.tsx'), 'InvitationPage'),
})

const workspace = createRoute({ getParentRoute: () => root, path: '/w/$workspace', component: Shell })
const home = createRoute({
  getParentRoute: () => workspace,
  path: '/',
  component: lazyRouteComponent(() => import('./home/HomePage.tsx'), 'HomePage'),
})
// The page shows the list beside the open conversation, so both addresses have one component.
const inbox = createRoute({
  getParentRoute: () => workspace,
  path: '/inbox',
  validateSearch: validateConversationSearch,
  component: lazyRouteComponent(() => import('./conversations/InboxPage.tsx'), 'InboxPage'),
})
const inboxIndex = createRoute({ getParentRoute: () => inbox, path: '/' })
const inboxConversation = createRoute({ getParentRoute: () => inbox, path: '/$id' })
const talks = createRoute({
  getParentRoute: () => workspace,
  id: 'talks',
  validateSearch: validateConversationSearch,
  component: lazyRouteComponent(() => import('./conversations/ConversationsPage.tsx'), 'ConversationsPage'),
})
const conversations = createRoute({ getParentRoute: () => talks, path: '/conversations' })
const conversation = createRoute({ getParentRoute: () => talks, path: '/conversations/$id' })
const call = createRoute({ getParentRoute: () => talks, path: '/calls/$call_id' })
const contacts = createRoute({
  getParentRoute: () => workspace,
  path: '/contacts',
  validateSearch: validateContactSearch,
  component: lazyRouteComponent(() => import('./contacts/ContactsPage.tsx'), 'ContactsPage'),
})
const contact = createRoute({
  getParentRoute: () => workspace,
  path: '/contacts/$id',
  component: lazyRouteComponent(() => import('./contacts/ContactPage.tsx'), 'ContactPage'),
})
const suppressions = createRoute({
  getParentRoute: () => workspace,
  path: '/suppressions',
  validateSearch: ({ phone_number }: Record<string, unknown>): { phone_number?: string } =>
    isText(phone_number) && isPhoneNumber(phone_number) ? { phone_number } : {},
  component: editorsOnly(
    lazyRouteComponent(() => import('./consent/SuppressionsPage.tsx'), 'SuppressionsPage'),
    'Suppressions',
  ),
})
const imports = createRoute({
  getParentRoute: () => workspace,
  path: '/imports',
  component: lazyRouteComponent(() => import('./imports/ImportsPage.tsx'), 'ImportsPage'),
})
const newImport = createRoute({
  getParentRoute: () => workspace,
  path: '/imports/new',
  component: editorsOnly(
    lazyRouteComponent(() => import('./imports/NewImportPage.tsx'), 'NewImportPage'),
    'New import',
  ),
})
const importReport = createRoute({
  getParentRoute: () => workspace,
  path: '/imports/$id',
  component: lazyRouteComponent(() => import('./imports/ImportPage.tsx'), 'ImportPage'),
})
const campaigns = createRoute({
  getParentRoute: () => workspace,
  path: '/campaigns',
  component: lazyRouteComponent(() => import('./campaigns/CampaignsPage.tsx'), 'CampaignsPage'),
})
const newCampaign = createRoute({
  getParentRoute: () => workspace,
  path: '/campaigns/new',
  component: editorsOnly(
    lazyRouteComponent(() => import('./campaigns/NewCampaignPage.tsx'), 'NewCampaignPage'),
    'New campaign',
  ),
})
const campaign = createRoute({
  getParentRoute: () => workspace,
  path: '/campaigns/$id',
  validateSearch: validateCampaignSearch,
  component: lazyRouteComponent(() => import('./campaigns/CampaignPage.tsx'), 'CampaignPage'),
})
const agents = createRoute({
  getParentRoute: () => workspace,
  path: '/agents',
  component: lazyRouteComponent(() => import('./agents/AgentsPage.tsx'), 'AgentsPage'),
})
const agent = createRoute({
  getParentRoute: () => workspace,
  path: '/agents/$id',
  component: lazyRouteComponent(() => import('./agents/AgentPage.tsx'), 'AgentPage'),
})
const channels = createRoute({
  getParentRoute: () => workspace,
  path: '/channels',
  component: lazyRouteComponent(() => import('./channels/ChannelsPage.tsx'), 'ChannelsPage'),
})
const channel = createRoute({
  getParentRoute: () => workspace,
  path: '/channels/$id',
  component: ownersOnly(
    lazyRouteComponent(() => import('./channels/ChannelPage.tsx'), 'ChannelPage'),
    'Channel',
  ),
})
const tools = createRoute({
  getParentRoute: () => workspace,
  path: '/tools',
  component: lazyRouteComponent(() => import('./tools/ToolsPage.tsx'), 'ToolsPage'),
})
const tool = createRoute({
  getParentRoute: () => workspace,
  path: '/tools/$id',
  component: ownersOnly(
    lazyRouteComponent(() => import('./tools/ToolPage.tsx'), 'ToolPage'),
    'Tool',
  ),
})
const events = createRoute({
  getParentRoute: () => workspace,
  path: '/events',
  validateSearch: ({ type }: Record<string, unknown>): { type?: string } => (isText(type) ? { type } : {}),
  component: lazyRouteComponent(() => import('./events/EventsPage.tsx'), 'EventsPage'),
})
const webhooks = createRoute({
  getParentRoute: () => workspace,
  path: '/webhooks',
  component: ownersOnly(
    lazyRouteComponent(() => import('./webhooks/WebhooksPage.tsx'), 'WebhooksPage'),
    'Webhooks',
  ),
})
const webhook = createRoute({
  getParentRoute: () => workspace,
  path: '/webhooks/$id',
  validateSearch: ({ status, delivery }: Record<string, unknown>): { status?: string; delivery?: string } => ({
    ...(isText(status) && { status }),
    ...(isText(delivery) && { delivery }),
  }),
  component: ownersOnly(
    lazyRouteComponent(() => import('./webhooks/WebhookPage.tsx'), 'WebhookPage'),
    'Webhook',
  ),
})
const integrations = createRoute({
  getParentRoute: () => workspace,
  path: '/integrations',
  component: ownersOnly(
    lazyRouteComponent(() => import('./integrations/IntegrationsPage.tsx'), 'IntegrationsPage'),
    'Integrations',
  ),
})
const integration = createRoute({
  getParentRoute: () => workspace,
  path: '/integrations/$id',
  component: ownersOnly(
    lazyRouteComponent(() => import('./integrations/IntegrationPage.tsx'), 'IntegrationPage'),
    'Integration',
  ),
})

const settings = createRoute({
  getParentRoute: () => workspace,
  path: '/settings',
  component: lazyRouteComponent(() => import('./settings/SettingsPage.tsx'), 'SettingsPage'),
})
const settingsIndex = createRoute({
  getParentRoute: () => settings,
  path: '/',
  component: lazyRouteComponent(() => import('./settings/SettingsPage.tsx'), 'SettingsRedirect'),
})
const apiKeys = createRoute({
  getParentRoute: () => settings,
  path: '/api-keys',
  component: ownersOnly(lazyRouteComponent(() => import('./settings/ApiKeysPage.tsx'), 'ApiKeysPage')),
})
const workspaceSettings = createRoute({
  getParentRoute: () => settings,
  path: '/workspace',
  component: lazyRouteComponent(() => import('./settings/WorkspacePage.tsx'), 'WorkspacePage'),
})
const members = createRoute({
  getParentRoute: () => settings,
  path: '/members',
  component: ownersOnly(lazyRouteComponent(() => import('./settings/MembersPage.tsx'), 'MembersPage')),
})
const providers = createRoute({
  getParentRoute: () => settings,
  path: '/providers',
  component: lazyRouteComponent(() => import('./settings/ProvidersPage.tsx'), 'ProvidersPage'),
})
const installation = createRoute({
  getParentRoute: () => settings,
  path: '/installation',
  component: lazyRouteComponent(() => import('./settings/InstallationPage.tsx'), 'InstallationPage'),
})
const profile = createRoute({
  getParentRoute: () => settings,
  path: '/me',
  component: lazyRouteComponent(() => import('./settings/ProfilePage.tsx'), 'ProfilePage'),
})

const tree = root.addChildren([
  start,
  signIn,
  setup,
  invite,
  workspace.addChildren([
    home,
    inbox.addChildren([inboxIndex, inboxConversation]),
    talks.addChildren([conversations, conversation, call]),
    contacts,
    contact,
    suppressions,
    imports,
    newImport,
    importReport,
    campaigns,
    newCampaign,
    campaign,
    agents,
    agent,
    channels,
    channel,
    tools,
    tool,
    events,
    webhooks,
    webhook,
    integrations,
    integration,
    settings.addChildren([settingsIndex, apiKeys, workspaceSettings, members, providers, profile, installation]),
  ]),
])

export const router = createRouter({
  routeTree: tree,
  basepath: new URL(document.baseURI).pathname,
  defaultPreload: 'intent',
  parseSearch: (text) => {
    const params = new URLSearchParams(text)
    return Object.fromEntries(
      [...new Set(params.keys())].map((name) => {
        const values = params.getAll(name)
        return [name, values.length > 1 ? values : values[0]]
      }),
    )
  },
  stringifySearch: (search) => {
    const params = new URLSearchParams()
    for (const [name, values] of Object.entries(search)) {
      for (const value of Array.isArray(values) ? values : [values])
        if (value !== undefined) params.append(name, String(value))
    }
    return params.size > 0 ? `?${params}` : ''
  },
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
