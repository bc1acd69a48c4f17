import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router'
import { validateAuditSearch } from './audit/search.ts'
import { validateCampaignSearch, validateOverviewSearch } from './campaigns/search.ts'
import { validateContactSearch } from './contacts/search.ts'
import { validateConversationSearch } from './conversations/search.ts'
import { isPhoneNumber } from './kit/phone-number.ts'
import { lazyPage } from './shell/lazy-page.tsx'
import { BareNotFoundPage, NotFoundPage } from './shell/NotFoundPage.tsx'
import { BarePageError, PageError } from './shell/PageError.tsx'
import { editorsOnly, ownersOnly } from './shell/RoleRequired.tsx'
import { Root } from './shell/Root.tsx'
import { Shell } from './shell/Shell.tsx'
import { StartPage } from './shell/StartPage.tsx'

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

const root = createRootRoute({ component: Root, notFoundComponent: BareNotFoundPage, errorComponent: BarePageError })

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: StartPage,
  errorComponent: BarePageError,
})
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  // The page checks whether it is a path of this site.
  validateSearch: ({ next }: Record<string, unknown>): { next?: string } => (isText(next) ? { next } : {}),
  component: lazyPage(() => import('./people/SignInPage.tsx'), 'SignInPage'),
  errorComponent: BarePageError,
})
const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup/$token',
  component: lazyPage(() => import('./people/SetupPage.tsx'), 'SetupPage'),
  errorComponent: BarePageError,
})
const invite = createRoute({
  getParentRoute: () => root,
  path: '/invite/$token',
  component: lazyPage(() => import('./people/InvitationPage.tsx'), 'InvitationPage'),
  errorComponent: BarePageError,
})
const passwordLink = createRoute({
  getParentRoute: () => root,
  path: '/password/$token',
  component: lazyPage(() => import('./people/PasswordLinkPage.tsx'), 'PasswordLinkPage'),
  errorComponent: BarePageError,
})

const kit = import.meta.env.DEV
  ? createRoute({
      getParentRoute: () => root,
      path: '/kit',
      component: lazyPage(() => import('./examples/KitPage.tsx'), 'KitPage'),
    })
  : undefined

const workspace = createRoute({
  getParentRoute: () => root,
  path: '/w/$workspace',
  component: Shell,
  notFoundComponent: NotFoundPage,
  errorComponent: BarePageError,
})
const home = createRoute({
  getParentRoute: () => workspace,
  path: '/',
  component: lazyPage(() => import('./home/HomePage.tsx'), 'HomePage'),
})
// Both addresses of the inbox have one component, because the page shows the list beside the open conversation.
const inbox = createRoute({
  getParentRoute: () => workspace,
  path: '/inbox',
  validateSearch: validateConversationSearch,
  component: lazyPage(() => import('./conversations/InboxPage.tsx'), 'InboxPage'),
})
const inboxIndex = createRoute({ getParentRoute: () => inbox, path: '/' })
const inboxConversation = createRoute({ getParentRoute: () => inbox, path: '/$id' })
const talks = createRoute({
  getParentRoute: () => workspace,
  id: 'talks',
  validateSearch: validateConversationSearch,
  component: lazyPage(() => import('./conversations/ConversationsPage.tsx'), 'ConversationsPage'),
})
const conversations = createRoute({ getParentRoute: () => talks, path: '/conversations' })
const conversation = createRoute({ getParentRoute: () => talks, path: '/conversations/$id' })
const call = createRoute({ getParentRoute: () => talks, path: '/calls/$call_id' })
const contacts = createRoute({
  getParentRoute: () => workspace,
  path: '/contacts',
  validateSearch: validateContactSearch,
  component: lazyPage(() => import('./contacts/ContactsPage.tsx'), 'ContactsPage'),
})
const contact = createRoute({
  getParentRoute: () => workspace,
  path: '/contacts/$id',
  component: lazyPage(() => import('./contacts/ContactPage.tsx'), 'ContactPage'),
})
const suppressions = createRoute({
  getParentRoute: () => workspace,
  path: '/suppressions',
  validateSearch: ({ phone_number }: Record<string, unknown>): { phone_number?: string } =>
    isText(phone_number) && isPhoneNumber(phone_number) ? { phone_number } : {},
  component: editorsOnly(
    lazyPage(() => import('./consent/SuppressionsPage.tsx'), 'SuppressionsPage'),
    'Do not contact',
  ),
})
const imports = createRoute({
  getParentRoute: () => workspace,
  path: '/imports',
  component: lazyPage(() => import('./imports/ImportsPage.tsx'), 'ImportsPage'),
})
const newImport = createRoute({
  getParentRoute: () => workspace,
  path: '/imports/new',
  component: editorsOnly(
    lazyPage(() => import('./imports/NewImportPage.tsx'), 'NewImportPage'),
    'New import',
  ),
})
const importReport = createRoute({
  getParentRoute: () => workspace,
  path: '/imports/$id',
  component: lazyPage(() => import('./imports/ImportPage.tsx'), 'ImportPage'),
})
const campaigns = createRoute({
  getParentRoute: () => workspace,
  path: '/campaigns',
  component: lazyPage(() => import('./campaigns/CampaignsPage.tsx'), 'CampaignsPage'),
})
const newCampaign = createRoute({
  getParentRoute: () => workspace,
  path: '/campaigns/new',
  component: editorsOnly(
    lazyPage(() => import('./campaigns/NewCampaignPage.tsx'), 'NewCampaignPage'),
    'New campaign',
  ),
})
const campaign = createRoute({
  getParentRoute: () => workspace,
  path: '/campaigns/$id',
  validateSearch: validateOverviewSearch,
  component: lazyPage(() => import('./campaigns/CampaignPage.tsx'), 'CampaignPage'),
})
const campaignContacts = createRoute({
  getParentRoute: () => workspace,
  path: '/campaigns/$id/contacts',
  validateSearch: validateCampaignSearch,
  component: lazyPage(() => import('./campaigns/CampaignPage.tsx'), 'CampaignContactsPage'),
})
const campaignSettings = createRoute({
  getParentRoute: () => workspace,
  path: '/campaigns/$id/settings',
  component: lazyPage(() => import('./campaigns/CampaignPage.tsx'), 'CampaignSettingsPage'),
})
const agents = createRoute({
  getParentRoute: () => workspace,
  path: '/agents',
  component: lazyPage(() => import('./agents/AgentsPage.tsx'), 'AgentsPage'),
})
const agent = createRoute({
  getParentRoute: () => workspace,
  path: '/agents/$id',
  component: lazyPage(() => import('./agents/AgentPage.tsx'), 'AgentPage'),
})
const agentTests = createRoute({
  getParentRoute: () => workspace,
  path: '/agents/$id/tests',
  component: lazyPage(() => import('./agent-tests/TestsPage.tsx'), 'TestsPage'),
})
const newAgentTest = createRoute({
  getParentRoute: () => workspace,
  path: '/agents/$id/tests/new',
  component: editorsOnly(
    lazyPage(() => import('./agent-tests/TestPage.tsx'), 'NewTestPage'),
    'New test',
  ),
})
const agentTest = createRoute({
  getParentRoute: () => workspace,
  path: '/agents/$id/tests/$test_id',
  validateSearch: ({ run }: Record<string, unknown>): { run?: string } => (isText(run) ? { run } : {}),
  component: lazyPage(() => import('./agent-tests/TestPage.tsx'), 'TestPage'),
})
const testRuns = createRoute({
  getParentRoute: () => workspace,
  path: '/agents/$id/runs',
  component: lazyPage(() => import('./agent-tests/RunsPage.tsx'), 'RunsPage'),
})
const testRun = createRoute({
  getParentRoute: () => workspace,
  path: '/agents/$id/runs/$run_id',
  validateSearch: ({ result }: Record<string, unknown>): { result?: string } => (isText(result) ? { result } : {}),
  component: lazyPage(() => import('./agent-tests/RunPage.tsx'), 'RunPage'),
})
const channels = createRoute({
  getParentRoute: () => workspace,
  path: '/channels',
  component: lazyPage(() => import('./channels/ChannelsPage.tsx'), 'ChannelsPage'),
})
const channel = createRoute({
  getParentRoute: () => workspace,
  path: '/channels/$id',
  component: ownersOnly(
    lazyPage(() => import('./channels/ChannelPage.tsx'), 'ChannelPage'),
    'Channel',
  ),
})
const knowledge = createRoute({
  getParentRoute: () => workspace,
  path: '/knowledge',
  component: lazyPage(() => import('./documents/DocumentsPage.tsx'), 'DocumentsPage'),
})
const tools = createRoute({
  getParentRoute: () => workspace,
  path: '/tools',
  component: lazyPage(() => import('./tools/ToolsPage.tsx'), 'ToolsPage'),
})
const tool = createRoute({
  getParentRoute: () => workspace,
  path: '/tools/$id',
  component: ownersOnly(
    lazyPage(() => import('./tools/ToolPage.tsx'), 'ToolPage'),
    'Tool',
  ),
})
const events = createRoute({
  getParentRoute: () => workspace,
  path: '/events',
  validateSearch: ({ type, event }: Record<string, unknown>): { type?: string; event?: string } => ({
    ...(isText(type) && { type }),
    ...(isText(event) && { event }),
  }),
  component: lazyPage(() => import('./events/EventsPage.tsx'), 'EventsPage'),
})
const webhooks = createRoute({
  getParentRoute: () => workspace,
  path: '/webhooks',
  component: ownersOnly(
    lazyPage(() => import('./webhooks/WebhooksPage.tsx'), 'WebhooksPage'),
    'Webhooks',
  ),
})
const webhookInbox = createRoute({
  getParentRoute: () => workspace,
  path: '/webhooks/$id/inbox',
  validateSearch: ({ request }: Record<string, unknown>): { request?: string } => (isText(request) ? { request } : {}),
  component: ownersOnly(
    lazyPage(() => import('./webhooks/WebhookPage.tsx'), 'WebhookInboxPage'),
    'Webhook',
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
    lazyPage(() => import('./webhooks/WebhookPage.tsx'), 'WebhookPage'),
    'Webhook',
  ),
})
const validateReceiptSearch = ({ receipt }: Record<string, unknown>): { receipt?: string } =>
  isText(receipt) ? { receipt } : {}
const integrations = createRoute({
  getParentRoute: () => workspace,
  path: '/integrations',
  component: ownersOnly(
    lazyPage(() => import('./integrations/IntegrationsPage.tsx'), 'IntegrationsPage'),
    'Integrations',
  ),
})
const integration = createRoute({
  getParentRoute: () => workspace,
  path: '/integrations/$id',
  validateSearch: validateReceiptSearch,
  component: ownersOnly(
    lazyPage(() => import('./integrations/IntegrationPage.tsx'), 'IntegrationPage'),
    'Integration',
  ),
})
const fieldMapping = createRoute({
  getParentRoute: () => workspace,
  path: '/integrations/$id/mapping',
  validateSearch: validateReceiptSearch,
  component: ownersOnly(
    lazyPage(() => import('./integrations/IntegrationPage.tsx'), 'FieldMappingPage'),
    'Integration',
  ),
})

const settings = createRoute({
  getParentRoute: () => workspace,
  path: '/settings',
  component: lazyPage(() => import('./settings/SettingsPage.tsx'), 'SettingsPage'),
})
const settingsIndex = createRoute({
  getParentRoute: () => settings,
  path: '/',
  component: lazyPage(() => import('./settings/SettingsPage.tsx'), 'SettingsRedirect'),
})
const apiKeys = createRoute({
  getParentRoute: () => workspace,
  path: '/api-keys',
  component: ownersOnly(
    lazyPage(() => import('./settings/ApiKeysPage.tsx'), 'ApiKeysPage'),
    'API keys',
  ),
})
const workspaceSettings = createRoute({
  getParentRoute: () => settings,
  path: '/workspace',
  component: lazyPage(() => import('./settings/WorkspacePage.tsx'), 'WorkspacePage'),
})
const members = createRoute({
  getParentRoute: () => settings,
  path: '/members',
  component: ownersOnly(lazyPage(() => import('./settings/MembersPage.tsx'), 'MembersPage')),
})
const providers = createRoute({
  getParentRoute: () => settings,
  path: '/providers',
  component: lazyPage(() => import('./settings/ProvidersPage.tsx'), 'ProvidersPage'),
})
const speech = createRoute({
  getParentRoute: () => settings,
  path: '/speech',
  component: lazyPage(() => import('./settings/SpeechPage.tsx'), 'SpeechPage'),
})
const auditLog = createRoute({
  getParentRoute: () => settings,
  path: '/audit-log',
  validateSearch: validateAuditSearch,
  component: ownersOnly(lazyPage(() => import('./audit/AuditLogPage.tsx'), 'AuditLogPage')),
})
const installation = createRoute({
  getParentRoute: () => settings,
  path: '/installation',
  component: lazyPage(() => import('./settings/InstallationPage.tsx'), 'InstallationPage'),
})
const profile = createRoute({
  getParentRoute: () => workspace,
  path: '/profile',
  component: lazyPage(() => import('./settings/ProfilePage.tsx'), 'ProfilePage'),
})

const tree = root.addChildren([
  start,
  signIn,
  setup,
  invite,
  ...(kit ? [kit] : []),
  passwordLink,
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
    campaignContacts,
    campaignSettings,
    agents,
    agent,
    agentTests,
    newAgentTest,
    agentTest,
    testRuns,
    testRun,
    channels,
    channel,
    knowledge,
    tools,
    tool,
    events,
    webhooks,
    webhook,
    webhookInbox,
    integrations,
    integration,
    fieldMapping,
    apiKeys,
    profile,
    settings.addChildren([settingsIndex, workspaceSettings, members, providers, speech, auditLog, installation]),
  ]),
])

export const router = createRouter({
  routeTree: tree,
  basepath: new URL(document.baseURI).pathname,
  defaultPreload: 'intent',
  defaultErrorComponent: PageError,
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

declare module '@tanstack/history' {
  interface HistoryState {
    /** Whether a conversation was opened to answer it. Its field takes the focus then. */
    opens_to_answer?: boolean
  }
}
