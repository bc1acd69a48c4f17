import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { validateContactSearch } from './contacts/search.ts'
import { forEditors, forOwners } from './shell/NeedsRole.tsx'
import { Nowhere } from './shell/Nowhere.tsx'
import { Root } from './shell/Root.tsx'
import { Shell } from './shell/Shell.tsx'
import { Start } from './shell/Start.tsx'

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

const root = createRootRoute({ component: Root, notFoundComponent: Nowhere })

const start = createRoute({ getParentRoute: () => root, path: '/', component: Start })
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: ({ next }: Record<string, unknown>): { next?: string } =>
    typeof next === 'string' && /^\/(?!\/)/.test(next) ? { next } : {},
  component: lazyRouteComponent(() => import('./people/SignIn.tsx'), 'SignIn'),
})
const setUp = createRoute({
  getParentRoute: () => root,
  path: '/setup/$token',
  component: lazyRouteComponent(() => import('./people/SetUp.tsx'), 'SetUp'),
})
const invite = createRoute({
  getParentRoute: () => root,
  path: '/invite/$token',
  component: lazyRouteComponent(() => import('./people/Invite.tsx'), 'Invite'),
})

const workspace = createRoute({ getParentRoute: () => root, path: '/w/$workspace', component: Shell })
const home = createRoute({
  getParentRoute: () => workspace,
  path: '/',
  component: lazyRouteComponent(() => import('./home/Home.tsx'), 'Home'),
})
const contacts = createRoute({
  getParentRoute: () => workspace,
  path: '/contacts',
  validateSearch: validateContactSearch,
  component: lazyRouteComponent(() => import('./contacts/Contacts.tsx'), 'Contacts'),
})
const imports = createRoute({
  getParentRoute: () => workspace,
  path: '/imports',
  component: lazyRouteComponent(() => import('./imports/Imports.tsx'), 'Imports'),
})
const newImport = createRoute({
  getParentRoute: () => workspace,
  path: '/imports/new',
  component: forEditors(
    lazyRouteComponent(() => import('./imports/NewImport.tsx'), 'NewImport'),
    'New import',
  ),
})
const oneImport = createRoute({
  getParentRoute: () => workspace,
  path: '/imports/$id',
  component: lazyRouteComponent(() => import('./imports/OneImport.tsx'), 'OneImport'),
})
const agents = createRoute({
  getParentRoute: () => workspace,
  path: '/agents',
  component: lazyRouteComponent(() => import('./agents/Agents.tsx'), 'Agents'),
})
const agent = createRoute({
  getParentRoute: () => workspace,
  path: '/agents/$id',
  component: lazyRouteComponent(() => import('./agents/OneAgent.tsx'), 'OneAgent'),
})
const events = createRoute({
  getParentRoute: () => workspace,
  path: '/events',
  validateSearch: ({ type }: Record<string, unknown>): { type?: string } => (isText(type) ? { type } : {}),
  component: lazyRouteComponent(() => import('./events/Events.tsx'), 'Events'),
})
const webhooks = createRoute({
  getParentRoute: () => workspace,
  path: '/webhooks',
  component: forOwners(
    lazyRouteComponent(() => import('./webhooks/Webhooks.tsx'), 'Webhooks'),
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
    lazyRouteComponent(() => import('./webhooks/OneWebhook.tsx'), 'OneWebhook'),
    'Webhook',
  ),
})
const integrations = createRoute({
  getParentRoute: () => workspace,
  path: '/integrations',
  component: forOwners(
    lazyRouteComponent(() => import('./integrations/Integrations.tsx'), 'Integrations'),
    'Integrations',
  ),
})
const integration = createRoute({
  getParentRoute: () => workspace,
  path: '/integrations/$id',
  component: forOwners(
    lazyRouteComponent(() => import('./integrations/OneIntegration.tsx'), 'OneIntegration'),
    'Integration',
  ),
})

const settings = createRoute({
  getParentRoute: () => workspace,
  path: '/settings',
  component: lazyRouteComponent(() => import('./settings/Settings.tsx'), 'Settings'),
})
const settingsStart = createRoute({
  getParentRoute: () => settings,
  path: '/',
  component: lazyRouteComponent(() => import('./settings/Settings.tsx'), 'SettingsStart'),
})
const apiKeys = createRoute({
  getParentRoute: () => settings,
  path: '/api-keys',
  component: forOwners(lazyRouteComponent(() => import('./settings/ApiKeys.tsx'), 'ApiKeys')),
})
const workspaceName = createRoute({
  getParentRoute: () => settings,
  path: '/workspace',
  component: lazyRouteComponent(() => import('./settings/Workspace.tsx'), 'Workspace'),
})
const members = createRoute({
  getParentRoute: () => settings,
  path: '/members',
  component: forOwners(lazyRouteComponent(() => import('./settings/Members.tsx'), 'Members')),
})
const me = createRoute({
  getParentRoute: () => settings,
  path: '/me',
  component: lazyRouteComponent(() => import('./settings/Me.tsx'), 'Me'),
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
