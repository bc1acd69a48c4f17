import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { operations as agents } from './agents/routes.ts'
import { authenticator } from './api-keys/authenticate.ts'
import { addressOf, type Config } from './config.ts'
import { operations as contacts } from './contacts/routes.ts'
import { operations as imports } from './imports/routes.ts'
import type { Pool } from './kit/db.ts'
import { docsHeaders, docsPage } from './kit/docs/page.ts'
import { type FastifyInstance, openHttp } from './kit/http.ts'
import type { Log } from './kit/log.ts'
import { isCurrent } from './kit/migrate.ts'
import { type About, openApiOf } from './kit/openapi.ts'
import type { Operation } from './kit/operation.ts'

/** Everything that clients can do. */
export const operations: Operation[] = [...contacts, ...imports, ...agents]

export const scopes: string[] = [...new Set(operations.map(({ scope }) => scope))].sort()

/** The base address is the first; the other is served as an alias. */
const served_at = ['/api/v1', '/v1']

/** Who asks whether we are ready doesn't wait for a database that is silent. */
const ready_within_ms = 2_000

const about: About = {
  title: 'Parley',
  version: '1',
  guide: fs.readFileSync(path.join(import.meta.dirname, 'guide.md'), 'utf8'),
  rooms: {
    contacts: 'The people that agents communicate with.',
    imports: 'Contacts from CSV files, in the background: tried out first, cancelled or undone if need be.',
    agents: 'What answers and calls: instructions in versions, one of them deployed.',
  },
  servers: served_at,
}

export const document = openApiOf(operations, about)

export interface Api {
  app: FastifyInstance
  /** Writes down which keys were used since the last time. */
  noteUses: () => Promise<void>
  /** Answers what has begun, then closes. */
  stop: () => Promise<void>
}

export function openApi(pool: Pool, config: Config, migrations: string, log: Log): Api {
  const { authenticate, noteUses } = authenticator(pool)
  const { rate_limit_per_second, trust_proxy } = config
  const { app, metrics, addPage, stop, isStopping } = openHttp({
    operations,
    pool,
    log,
    base_path: basePath(config.public_url),
    served_at,
    rate_limit_per_second,
    trust_proxy,
    authenticate,
  })
  const document_text = JSON.stringify(document)
  addPage('/health', () => json(200, { status: 'ok' }))
  addPage('/ready', async () => {
    const current = isCurrent(pool, migrations).catch(() => false)
    const late = sleep(ready_within_ms, false, { ref: false })
    const is_ready = !isStopping() && (await Promise.race([current, late]))
    return json(is_ready ? 200 : 503, { status: is_ready ? 'ready' : 'not ready' })
  })
  addPage('/metrics', async () => ({
    status: 200,
    headers: { 'content-type': metrics.content_type },
    body: await metrics.text(),
  }))
  addPage('/openapi.json', () => ({ status: 200, headers: {}, body: document_text }))
  let docs: string | undefined
  addPage('/docs', () => {
    docs ??= docsPage(document, addressOf(config, portOf(app)))
    return { status: 200, headers: docsHeaders, body: docs }
  })
  return { app, noteUses, stop }
}

/** The port that it listens at. */
export function portOf(app: FastifyInstance): number {
  const bound = app.server.address()
  if (typeof bound !== 'object' || !bound) throw new Error('it does not listen at a port')
  return bound.port
}

const json = (status: number, value: object) => ({ status, headers: {}, body: JSON.stringify(value) })

const basePath = (public_url: string | undefined): string =>
  (public_url ? new URL(public_url).pathname : '').replace(/\/$/, '') + served_at[0]
