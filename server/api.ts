import fs from 'node:fs'
import path from 'node:path'
import { event_types as test_events } from './agent-tests/event-types.ts'
import { operations as agent_tests } from './agent-tests/routes.ts'
import { event_types as agent_events } from './agents/event-types.ts'
import { force_scope } from './agents/force.ts'
import { operations as agents } from './agents/routes.ts'
import { operations as analytics } from './analytics/routes.ts'
import { authenticator } from './api-keys/authenticate.ts'
import { event_types as api_key_events } from './api-keys/event-types.ts'
import { operations as apiKeys } from './api-keys/routes.ts'
import { operations as audit_log } from './audit/routes.ts'
import { event_types as call_events } from './calls/event-types.ts'
import { liveCalls } from './calls/live-calls.ts'
import { operations as calls } from './calls/routes.ts'
import { operations as enrollments } from './campaigns/enrollment-routes.ts'
import { event_types as campaign_events } from './campaigns/event-types.ts'
import { operations as campaigns } from './campaigns/routes.ts'
import { owner_operations as channel_owner_operations, operations as channels } from './channels/routes.ts'
import { operations as clocks } from './clocks/routes.ts'
import { addressOf, type Config } from './config.ts'
import { operations as consent } from './consent/routes.ts'
import { event_types as contact_events } from './contacts/event-types.ts'
import { operations as contacts } from './contacts/routes.ts'
import { event_types as conversation_events } from './conversations/event-types.ts'
import { operations as conversations } from './conversations/routes.ts'
import { splitGuide } from './docs/pages.ts'
import { openDocs } from './docs/site.ts'
import { event_types as document_events } from './documents/event-types.ts'
import { operations as documents } from './documents/routes.ts'
import { operations as erasures } from './erasures/routes.ts'
import { newCatalog } from './events/catalog.ts'
import { operations as events } from './events/routes.ts'
import { payloadSchema } from './events/schema.ts'
import { event_types as import_events } from './imports/event-types.ts'
import { operations as imports } from './imports/routes.ts'
import { identifyIntegration } from './integrations/receive.ts'
import { operations as integrations, receive_operations } from './integrations/routes.ts'
import type { Service } from './kit/at.ts'
import { sample_id } from './kit/field.ts'
import { private_response_headers } from './kit/http/browser.ts'
import { openDocument } from './kit/http/document.ts'
import type { Door } from './kit/http/door.ts'
import type { Operation } from './kit/http/operation.ts'
import type { AnswerPage } from './kit/http/pages.ts'
import { type FastifyInstance, type HttpLimits, openHttp } from './kit/http/server.ts'
import { readStaticSite } from './kit/http/static-site.ts'
import type { Log } from './kit/log.ts'
import { type About, createOpenApiDocument } from './kit/openapi/document.ts'
import type { Pool } from './kit/postgres/pool.ts'
import * as problem from './kit/problem.ts'
import { identifyVoiceVisitor } from './lines/browser/door.ts'
import { openVoicePageLookup, voicePages } from './lines/browser/pages.ts'
import { voice_operations } from './lines/browser/routes.ts'
import { openBrowserSockets } from './lines/browser/sockets.ts'
import { openLiveSockets } from './lines/live-sockets.ts'
import { operations as channel_tests } from './lines/test-channel.ts'
import { identifyChannel } from './lines/twilio/signed-forms.ts'
import { sms_operations } from './lines/twilio/sms-routes.ts'
import { openPhoneSockets } from './lines/twilio/sockets.ts'
import { phone_operations } from './lines/twilio/voice-routes.ts'
import { type FindChannel, identifyChatVisitor, openChannelLookup } from './lines/web-chat/door.ts'
import { webChatPages } from './lines/web-chat/pages.ts'
import { chat_operations } from './lines/web-chat/routes.ts'
import { type McpOptions, mcpOperations } from './mcp/routes.ts'
import { operations as providers } from './models/routes.ts'
import { openOperatorPages } from './operator-pages.ts'
import { operations as overview } from './overview/routes.ts'
import { operations as person_operations } from './people/routes.ts'
import { identifyVisitor } from './people/visitor.ts'
import { product } from './product.ts'
import { openService } from './service.ts'
import { operations as tools } from './tools/routes.ts'
import { event_types as webhook_events } from './webhooks/event-types.ts'
import { identifyInbox } from './webhooks/inbox.ts'
import { inbox_operations, operations as webhooks } from './webhooks/routes.ts'
import { operations as workspace } from './workspaces/routes.ts'

export const catalog = newCatalog(
  [
    contact_events,
    agent_events,
    test_events,
    conversation_events,
    call_events,
    campaign_events,
    import_events,
    document_events,
    api_key_events,
    webhook_events,
  ].flatMap((types) => Object.values(types)),
)

/** The operations of a workspace, for API keys and for people who are signed in. */
const rooms: Operation[] = [
  ...contacts,
  ...erasures,
  ...imports,
  ...integrations,
  ...consent,
  ...agents,
  ...agent_tests,
  ...providers,
  ...tools,
  ...documents,
  ...channels,
  ...conversations,
  ...calls,
  ...campaigns,
  ...enrollments,
  ...analytics,
  ...events(catalog),
  ...webhooks(catalog),
  ...overview(catalog),
  ...clocks,
  ...workspace,
  ...audit_log,
]
const workspace_operations: Operation[] = [...rooms, ...apiKeys([...scopesOf(rooms), force_scope].sort())]

/** The public API. */
export const operations: Operation[] = [...workspace_operations, ...receive_operations, ...inbox_operations]

/**
 * The operations of people in the dashboard, such as signing in, and of visitors of web chats and voice pages. They are
 * not part of the public API.
 */
export { chat_operations, person_operations, voice_operations }

/**
 * The operations that only owners may use, in the dashboard and without API keys. They are not part of the public API.
 */
export const owner_operations: Operation[] = [...channel_owner_operations, ...channel_tests]

export const scopes: string[] = [...scopesOf(operations), force_scope].sort()

/** The first is the documented base path; the other is an alias. */
const served_at = ['/api/v1', '/v1']
const session_api_path = '/app/api/v1'
const person_path = '/app'
const chat_path = '/chat'
const voice_path = '/voice'
const phone_path = '/phone'
/** The path of the MCP server, where assistants send their requests. */
const mcp_path = '/mcp'
/** Unknown paths below these get 404, and not a page of the dashboard. */
const api_paths = ['/api', '/v1', '/app', '/chat', '/in', '/inbox', '/mcp', '/phone', '/sms', '/voice']

const integration_concurrency = { max: 1_000, per_caller_max: 200 }
/** A channel receives a hundred messages at once, and more wait. */
const sms_concurrency = { max: 2_000, per_caller_max: 1_000 }
const phone_concurrency = { max: 1_000, per_caller_max: 500 }
const inbox_concurrency = { max: 500, per_caller_max: 20 }
/** A caller of web chats is a network, not a visitor. */
const chat_concurrency = { max: 1_000, per_caller_max: 20 }
const chat_streams = { max: 4_000, per_workspace_max: 2_000, per_caller_max: 100 }

const readText = (name: string): string => fs.readFileSync(path.join(import.meta.dirname, '..', name), 'utf8')
const texts = { changelog: readText('CHANGELOG.md'), readme: readText('README.md'), client: readText('sdk/README.md') }

const about: About = {
  title: product.name,
  version: '1',
  license: 'MIT',
  guide: fs.readFileSync(path.join(import.meta.dirname, 'guide.md'), 'utf8'),
  authentication: 'An API key: `Authorization: Bearer pk_...`',
  rooms: {
    contacts: 'The people that agents communicate with.',
    erasures: 'Persons whose data is erased.',
    imports: 'Import contacts from CSV files in the background. Try an import with a dry run; cancel or undo it.',
    integrations: 'Receive contacts from forms and CRMs.',
    consents:
      'Who has agreed to be called or written to, and who has opted out: a ledger whose entries are never changed.',
    suppressions: 'Phone numbers that are never called or written to.',
    agents:
      'AI agents that answer and place calls. Their configuration has a draft and versions, one of which is deployed.',
    agent_tests: 'What an agent must say and do in a situation. Tests can be required before a version is deployed.',
    test_runs: 'Tests of an agent that are run in the background, and what came of them.',
    providers: 'Accounts at model services, which agents use to answer.',
    tools: 'Requests to your servers that agents can make while they answer.',
    documents: 'What agents can look up: texts, files and pages. Answers name the passages that they come from.',
    channels: 'Where people reach agents: web chats and phone numbers. Owners set them up in the dashboard.',
    conversations: 'Threads between a contact and an agent. Say something, read the answers, hand over to a person.',
    calls: 'Agents call people, or simulated ones. Follow a call live, end it, search what was said.',
    campaigns:
      'An agent calls or writes to many contacts, each in hours that suit the contact, and tries again if it must.',
    enrollments: 'The contacts of a campaign.',
    analytics: 'How many calls, conversations and attempts of campaigns there were, and how they went, over time.',
    events: 'What happened, in order: as a list and as a stream.',
    overview: 'Figures of the workspace at a glance.',
    webhooks: 'Send events to your server as they happen, and follow each delivery.',
    test_clock: 'The time of a test workspace. It stands still until you advance it.',
    workspace: 'The workspace of the API key, and its settings.',
    audit_log:
      'Who has signed in, changed settings or copied data. Requires a key with the scope `audit:read`, granted by name.',
    api_keys: 'Manage API keys. Requires a key with the scopes `api_keys:read` and `api_keys:write`, granted by name.',
  },
  servers: served_at,
  webhooks: Object.fromEntries(
    catalog.types.map((type) => [type.name, { description: type.description, payload: payloadSchema(type) }]),
  ),
  info: { contact: { name: 'The operator of this service' } },
  error_samples: {
    FORBIDDEN: problem.forbidden('contacts:write'),
    CONFLICT: problem.inUse('phone_number', 'Another contact has this phone number.', sample_id),
  },
  header_examples: {
    Location: `/api/v1/contacts/${sample_id}`,
    'Content-Disposition': 'attachment; filename="contacts.csv"',
  },
}

export const document = createOpenApiDocument(operations, about)

const { openapi, info, ...described } = document
/** The document as the repository has it, where the guide is a file of its own. */
export const documentWithoutGuide = {
  openapi,
  info: { ...info, description: splitGuide(about.guide).introduction },
  externalDocs: { description: 'The guide, at a service with its default address.', url: 'http://127.0.0.1:8080/docs' },
  ...described,
}

export interface Api {
  app: FastifyInstance
  /** Shared with background work. */
  service: Service
  /** What load balancers and monitoring ask for, by path, for METRICS_PORT. */
  operator_pages: Record<string, AnswerPage>
  /** Marks the service as ready, once the first workspace and the key of the settings are there. */
  markAsSetUp: () => void
  /** Stores when each key was last used. */
  recordKeyUses: () => Promise<void>
  /** Finishes requests in flight, then closes. */
  stop: () => Promise<void>
}

export function openApi(pool: Pool, config: Config, migrations: string, log: Log, limits: HttpLimits = {}): Api {
  const service = openService(pool, config, () => addressOf(config, portOf(app)), log)
  const { authenticate, recordUses, forget } = authenticator(pool)
  let is_set_up = false
  const findChannel = openChannelLookup(service)
  const sockets = openLiveSockets({ service, log })
  const live_calls = liveCalls.of(service)
  const mcp = { operations, origins: config.cors_origins, send: sendTo(() => app) }
  const { app, addPage, stop, isStopping } = openHttp({
    doors: doors(service, config.public_url, log, authenticate, findChannel, mcp),
    service,
    log,
    rate_limit_per_second: config.rate_limit_per_second,
    trust_proxy: config.trust_proxy,
    public_paths: [...served_at, mcp_path],
    cors_origins: config.cors_origins,
    limits,
    upgrades: {
      [voice_path]: openBrowserSockets(sockets, { service, log }),
      [phone_path]: openPhoneSockets(sockets, { service, log }),
    },
    site: readStaticSite(path.join(config.checkout, '.cache', 'dashboard'), pathOf(config.public_url), api_paths),
  })
  // This comes before the server closes, which would wait for the sockets.
  app.addHook('preClose', () => sockets.stop())
  const operator = openOperatorPages({ service, config, migrations, isSetUp: async () => is_set_up, isStopping })
  app.addHook('onClose', async () => operator.close())
  addPage(
    '/openapi.json',
    openDocument(() => JSON.stringify(document)),
  )
  // The document has HTML instead of some samples of the guide, which the pages would show as text.
  const guided = { ...document, info: { ...document.info, description: about.guide } }
  const docs = openDocs(() => ({ document: guided, ...texts, origin: addressOf(config, portOf(app)) }))
  for (const url of docs.routes) addPage(url, docs.answer)
  const pages = {
    ...operator.public_pages,
    ...webChatPages(path.join(config.checkout, '.cache', 'chat'), service, findChannel),
    ...voicePages(path.join(config.checkout, '.cache', 'voice'), openVoicePageLookup(service)),
  }
  for (const [url, answer] of Object.entries(pages)) addPage(url, answer)
  const stopAll = async () => {
    // This comes before the server stops to listen: when a call by telephone has ended, its carrier asks what is next.
    if (!live_calls.is_abandoned) await sockets.stop()
    await stop()
  }
  const markAsSetUp = () => {
    // Clients may have tried the key that was just made valid.
    forget()
    is_set_up = true
  }
  return { app, service, operator_pages: operator.pages, markAsSetUp, recordKeyUses: recordUses, stop: stopAll }
}

/**
 * Sends requests of the MCP server to the API as if they came from outside: they are admitted, limited, logged and answered in the same
 * way, but nothing goes through a socket.
 */
function sendTo(app: () => FastifyInstance): McpOptions['send'] {
  return async ({ method, path, headers, body, ip, token }) => {
    const answer = await app().inject({
      // Operations have no other methods.
      method: method as 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
      url: served_at[0] + path,
      headers: { ...headers, authorization: `Bearer ${token}` },
      remoteAddress: ip,
      ...(body && { payload: JSON.stringify(body) }),
    })
    return {
      status: answer.statusCode,
      content_type: String(answer.headers['content-type'] ?? ''),
      text: answer.payload,
    }
  }
}

type Authenticate = ReturnType<typeof authenticator>['authenticate']

function doors(
  service: Service,
  public_url: string | undefined,
  log: Log,
  authenticate: Authenticate,
  findChannel: FindChannel,
  mcp: McpOptions,
): Door[] {
  const { pool } = service
  const base = pathOf(public_url)
  const identify = identifyVisitor(pool, public_url, log)
  const by_session = { identify, headers: private_response_headers }
  /** Identifies people by wall time, also in test workspaces: sessions and invitations don't follow test clocks. */
  const by_wall_time: Door['identify'] = async (...request) => ({ ...(await identify(...request)), is_test: false })
  const byKey: Door['identify'] = ({ token }, now, options) =>
    token === undefined ? undefined : authenticate(token, now, options)
  const servedAt = (served_path: string) => ({ base_path: base + served_path, served_at: [served_path] })
  return [
    {
      operations: workspace_operations,
      base_path: base + served_at[0],
      served_at,
      identify: byKey,
    },
    { operations: mcpOperations(mcp), ...servedAt(''), identify: byKey, opens_own_transactions: true },
    { operations: [...workspace_operations, ...owner_operations], ...servedAt(session_api_path), ...by_session },
    {
      operations: person_operations,
      ...servedAt(person_path),
      ...by_session,
      identify: by_wall_time,
      opens_own_transactions: true,
    },
    {
      operations: receive_operations,
      ...servedAt(''),
      identify: identifyIntegration(pool),
      concurrency: integration_concurrency,
    },
    {
      operations: sms_operations,
      ...servedAt(''),
      identify: identifyChannel(pool),
      concurrency: sms_concurrency,
      has_no_rate_limit: true,
    },
    {
      operations: phone_operations,
      ...servedAt(''),
      identify: identifyChannel(pool),
      concurrency: phone_concurrency,
      has_no_rate_limit: true,
    },
    {
      operations: inbox_operations,
      ...servedAt(''),
      identify: identifyInbox,
      concurrency: inbox_concurrency,
      has_no_rate_limit: true,
    },
    {
      operations: chat_operations,
      ...servedAt(chat_path),
      identify: identifyChatVisitor(service, findChannel, public_url),
      headers: private_response_headers,
      concurrency: chat_concurrency,
      streams: chat_streams,
      has_no_idempotency_keys: true,
    },
    {
      operations: voice_operations,
      ...servedAt(voice_path),
      identify: identifyVoiceVisitor(service, public_url),
      headers: private_response_headers,
      concurrency: chat_concurrency,
      has_no_idempotency_keys: true,
    },
  ]
}

export function portOf(app: FastifyInstance): number {
  const bound = app.server.address()
  if (typeof bound !== 'object' || !bound) throw new Error('the server does not listen on a port')
  return bound.port
}

const pathOf = (public_url: string | undefined): string =>
  (public_url ? new URL(public_url).pathname : '').replace(/\/$/, '')

function scopesOf(operations: Operation[]): string[] {
  return [...new Set(operations.flatMap((operation) => (operation.kind === 'raw' ? [] : operation.scope)))].sort()
}
