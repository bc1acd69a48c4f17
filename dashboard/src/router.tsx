import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { validateContactSearch } from './contacts/search.ts'
import { Nowhere } from './shell/NotFoundPage.tsx'
import { forEditors, forOwners } from './shell/RoleRequired.tsx'
import { Root } from './shell/Root.tsx'
import { Shell } from './shell/Shell.tsx'
import { Start } from './shell/StartPage.tsx'

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

const root = createRootRoute({ component: Root, notFoundComponent: Nowhere })

const start = createRoute({ getParentRoute: () => root, path: '/', component: Start })
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: ({ next }: Record<string, unknown>): { next?: string } =>
    typeof next === 'string' && /^\/(?!\/)/.test(next) ? { next } : {},
  component: lazyRouteComponent(() => import('./people/SignInPage.tsx'), 'SignIn'),
})
const setUp = createRoute({
  getParentRoute: () => root,
  path: '/setup/$token',
  component: lazyRouteComponent(() => import('./people/SetupPage.tsx'), 'SetUp'),
})
const invite = createRoute({
  getParentRoute: () => root,
  path: '/invite/$token',
  component: lazyRouteComponent(() => import('./people/InvitationPage.tsx'), 'Invite'),
})

const workspace = createRoute({ getParentRoute: () => root, path: '/w/$workspace', component: Shell })
const home = createRoute({
  getParentRoute: () => workspace,
  path: '/',
  component: lazyRouteComponent(() => import('./home/HomePage.tsx'), 'Home'),
})
const contacts = createRoute({
  getParentRoute: () => workspace,
  path: '/contacts',
  validateSearch: validateContactSearch,
  component: lazyRouteComponent(() => import('./contacts/ContactsPage.tsx'), 'Contacts'),
})
const imports = createRoute({
  getParentRoute: () => workspace,
  path: '/imports',
  component: lazyRouteComponent(() => import('./imports/ImportsPage.tsx'), 'Imports'),
})
const newImport = createRoute({
  getParentRoute: () => workspace,
  path: '/imports/new',
  component: forEditors(
    lazyRouteComponent(() => import('./imports/NewImportPage.tsx'), 'NewImport'),
    'New import',
  ),
})
const oneImport = createRoute({
  getParentRoute: () => workspace,
  path: '/imports/$id',
  component: lazyRouteComponent(() => import('./imports/ImportPage.tsx'), 'OneImport'),
})
const agents = createRoute({
  getParentRoute: () => workspace,
  path: '/agents',
  component: lazyRouteComponent(() => import('./agents/AgentsPage.tsx'), 'Agents'),
})
const agent = createRoute({
  getParentRoute: () => workspace,
  path: '/agents/$id',
  component: lazyRouteComponent(() => import('./agents/AgentPage.tsx'), 'OneAgent'),
})
const events = createRoute({
  getParentRoute: () => workspace,
  path: '/events',
  validateSearch: ({ type }: Record<string, unknown>): { type?: string } => (isText(type) ? { type } : {}),
  component: lazyRouteComponent(() => import('./events/EventsPage.tsx'), 'Events'),
})
const webhooks = createRoute({
  getParentRoute: () => workspace,
  path: '/webhooks',
  component: forOwners(
    lazyRouteComponent(() => import('./webhooks/WebhooksPage.tsx'), 'Webhooks'),
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
  component: forOwners(
    lazyRouteComponent(() => import('./webhooks/WebhookPage.tsx'), 'OneWebhook'),
    'Webhook',
  ),
})
const integrations = createRoute({
  getParentRoute: () => workspace,
  path: '/integrations',
  component: forOwners(
    lazyRouteComponent(() => import('./integrations/IntegrationsPage.tsx'), 'Integrations'),
    'Integrations',
  ),
})
const integration = createRoute({
  getParentRoute: () => workspace,
  path: '/integrations/$id',
  component: forOwners(
    lazyRouteComponent(() => import('./integrations/IntegrationPage.tsx'), 'OneIntegration'),
    'Integration',
  ),
})

const settings = createRoute({
  getParentRoute: () => workspace,
  path: '/settings',
  component: lazyRouteComponent(() => import('./settings/SettingsPage.tsx'), 'Settings'),
})
const settingsStart = createRoute({
  getParentRoute: () => settings,
  path: '/',
  component: lazyRouteComponent(() => import('./settings/SettingsPage.tsx'), 'SettingsStart'),
})
const apiKeys = createRoute({
  getParentRoute: () => settings,
  path: '/api-keys',
  component: forOwners(lazyRouteComponent(() => import('./settings/ApiKeysPage.tsx'), 'ApiKeys')),
})
const workspaceName = createRoute({
  getParentRoute: () => settings,
  path: '/workspace',
  component: lazyRouteComponent(() => import('./settings/WorkspacePage.tsx'), 'Workspace'),
})
const members = createRoute({
  getParentRoute: () => settings,
  path: '/members',
  component: forOwners(lazyRouteComponent(() => import('./settings/MembersPage.tsx'), 'Members')),
})
const me = createRoute({
  getParentRoute: () => settings,
  path: '/me',
  component: lazyRouteComponent(() => import('./settings/ProfilePage.tsx'), 'Me'),
})

const tree = root.addChildren([
  start,
  signIn,
  setUp,
  invite,
  workspace.addChildren([
    home,
    contacts,
    imports,
    newImport,
    oneImport,
    agents,
    agent,
    events,
    webhooks,
    webhook,
    integrations,
    integration,
    settings.addChildren([settingsStart, apiKeys, workspaceName, members, me]),
  ]),
])

export const router = createRouter({
  routeTree: tree,
  basepath: new URL(document.baseURI).pathname,
  defaultPreload: 'intent',
  parseSearch: (text) => {
    const words = new URLSearchParams(text)
    return Object.fromEntries(
      [...new Set(words.keys())].map((name) => {
        const values = words.getAll(name)
        return [name, values.length > 1 ? values : values[0]]
      }),
    )
  },
  stringifySearch: (search) => {
    const words = new URLSearchParams()
    for (const [name, said] of Object.entries(search)) {
      for (const value of Array.isArray(said) ? said : [said])
        if (value !== undefined) words.append(name, String(value))
    }
    return words.size > 0 ? `?${words}` : ''
  },
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
