import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { operations as agents } from './agents/routes.ts'
import { authenticator } from './api-keys/authenticate.ts'
import { operations as apiKeys } from './api-keys/routes.ts'
import { addressOf, type Config } from './config.ts'
import { operations as contacts } from './contacts/routes.ts'
import { docs_page_headers, renderDocsPage } from './docs/page.ts'
import { catalogue, types } from './events/catalog.ts'
import { operations as events } from './events/routes.ts'
import { payloadOf } from './events/schema.ts'
import { operations as imports } from './imports/routes.ts'
import { knocking } from './integrations/receive.ts'
import { operations as integrations, receiving } from './integrations/routes.ts'
import * as clock from './kit/clock.ts'
import { openSeal } from './kit/crypto/seal.ts'
import { private_response_headers } from './kit/http/browser.ts'
import type { Door } from './kit/http/door.ts'
import type { Operation, Tools } from './kit/http/operation.ts'
import { type FastifyInstance, type HttpLimits, openHttp } from './kit/http/server.ts'
import { readStaticSite } from './kit/http/static-site.ts'
import { queuePerKey } from './kit/limits/key-queues.ts'
import type { Log } from './kit/log.ts'
import { type About, createOpenApiDocument } from './kit/openapi/document.ts'
import { openOutbound } from './kit/outbound.ts'
import type { Pool } from './kit/postgres/pool.ts'
import { openReadinessCheck } from './kit/postgres/ready.ts'
import * as problem from './kit/problem.ts'
import { operations as overview } from './overview/routes.ts'
import { operations as personOperations } from './people/routes.ts'
import { visiting } from './people/visitor.ts'
import { product, seal_info } from './product.ts'
import * as inbox from './webhooks/inbox.ts'
import { operations as webhooks } from './webhooks/routes.ts'

/** Everything that clients can do. */
const rooms: Operation[] = [...contacts, ...imports, ...integrations, ...agents, ...events, ...webhooks, ...overview]
export const operations: Operation[] = [...rooms, ...apiKeys(scopesOf(rooms))]

export { personOperations }

export const scopes: string[] = scopesOf(operations)

/** The base address is the first; the other is served as an alias. */
const served_at = ['/api/v1', '/v1']
/** The same for people who are signed in, and what they do as people. */
const session_api_path = '/app/api/v1'
const person_path = '/app'
/** Where integrations have their addresses. */
const receiving_path = '/in'

/** Where an address that leads nowhere is a mistake of a program, and not a page of the dashboard. */
const api_paths = ['/api', '/v1', '/app', '/in', '/inbox']

/** Of each inbox, so that most connections to the database are left to others. */
const inbox_at_once_max = 2
/** Longer than a sender waits, and not for ever: who hangs keeps a connection. */
const hang_ms = 20_000

const sample_id = '019a84c4-5f00-7c3e-9d53-2f1a64c0b7aa'

const about: About = {
  title: product.name,
  version: '1',
  license: 'MIT',
  guide: fs.readFileSync(path.join(import.meta.dirname, 'guide.md'), 'utf8'),
  authentication: 'An API key: `Authorization: Bearer pk_...`',
  rooms: {
    contacts: 'The people that agents communicate with.',
    imports: 'Contacts from CSV files, in the background: tried out first, canceled or undone if need be.',
    integrations: 'A way in for form tools and CRMs: what they post becomes contacts.',
    agents: 'What answers and calls: instructions in versions, one of them deployed.',
    events: 'What happened, in the order in which it did: as a list and as a stream.',
    overview: 'What there is, at a glance.',
    webhooks: 'Where events are sent as they happen, and what became of each.',
    api_keys:
      'What lets programs in. For keys that were given the scopes `api_keys:read` and `api_keys:write` by name.',
  },
  servers: served_at,
  webhooks: Object.fromEntries(
    types.map((type) => [type, { description: catalogue[type].description, payload: payloadOf(type) }]),
  ),
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

export interface Api {
  app: FastifyInstance
  /** Also for what is done in the background. */
  tools: Tools
  /** Writes down which keys were used since the last time. */
  noteUses: () => Promise<void>
  /** Answers what has begun, then closes. */
  stop: () => Promise<void>
}

export function openApi(pool: Pool, config: Config, migrations: string, log: Log, limits: HttpLimits = {}): Api {
  const tools: Tools = {
    seal: openSeal(config.secrets_key ?? randomBytes(32).toString('base64'), seal_info),
    outbound: openOutbound({ allowed: config.webhook_allow_hosts }),
    address: () => addressOf(config, portOf(app)),
  }
  const { authenticate, noteUses } = authenticator(pool)
  const { rate_limit_per_second, trust_proxy } = config
  const identify = visiting(pool, config.public_url)
  const by_session = (at: string): Omit<Door, 'operations'> => ({
    base_path: pathOf(config.public_url) + at,
    served_at: [at],
    identify,
    headers: private_response_headers,
  })
  const { app, metrics, addPage, addInlet, stop, isStopping } = openHttp({
    doors: [
      {
        operations,
        base_path: pathOf(config.public_url) + served_at[0],
        served_at,
        identify: ({ token }, now, is_recheck) =>
          token === undefined ? undefined : authenticate(token, now, is_recheck),
      },
      { operations, ...by_session(session_api_path) },
      { operations: personOperations, ...by_session(person_path), is_plain: true },
      {
        operations: receiving,
        base_path: pathOf(config.public_url) + receiving_path,
        served_at: [receiving_path],
        identify: knocking(pool),
        is_inlet: true,
      },
    ],
    pool,
    log,
    rate_limit_per_second,
    trust_proxy,
    metrics_prefix: product.short_name,
    restarts: config.restarts,
    tools,
    limits,
    site: readStaticSite(path.join(config.checkout, '.cache', 'dashboard'), pathOf(config.public_url), api_paths),
  })
  const document_text = JSON.stringify(document)
  addPage('/health', () => json(200, { status: 'ok' }))
  const isReady = openReadinessCheck(pool, migrations)
  addPage('/ready', async () => {
    const is_ready = !isStopping() && (await isReady())
    return json(is_ready ? 200 : 503, { status: is_ready ? 'ready' : 'not ready' })
  })
  addPage('/metrics', async () => ({
    status: 200,
    headers: { 'content-type': metrics.content_type },
    body: await metrics.text(),
  }))
  addPage('/openapi.json', () => ({ status: 200, headers: {}, body: document_text }))
  const inboxes = queuePerKey(inbox_at_once_max)
  addInlet('/inbox/*', async ({ path, headers, body, hung_up }) => {
    const receive = () => inbox.receive(pool, tools.seal, { path, headers, body }, clock.now())
    const answer = await inboxes(path, receive)
    if (answer === 'hang') await Promise.race([hung_up, sleep(hang_ms, undefined, { ref: false })])
    return json(answer === 'hang' ? 504 : Number(answer), { answer })
  })
  let docs: string | undefined
  addPage('/docs', () => {
    docs ??= renderDocsPage(document, addressOf(config, portOf(app)))
    return { status: 200, headers: docs_page_headers, body: docs }
  })
  return { app, tools, noteUses, stop }
}

/** The port that it listens at. */
export function portOf(app: FastifyInstance): number {
  const bound = app.server.address()
  if (typeof bound !== 'object' || !bound) throw new Error('it does not listen at a port')
  return bound.port
}

const json = (status: number, value: object) => ({ status, headers: {}, body: JSON.stringify(value) })

const pathOf = (public_url: string | undefined): string =>
  (public_url ? new URL(public_url).pathname : '').replace(/\/$/, '')

function scopesOf(operations: Operation[]): string[] {
  return [...new Set(operations.map(({ scope }) => scope))].sort()
}
