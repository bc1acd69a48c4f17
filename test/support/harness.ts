import { randomBytes } from 'node:crypto'
import net from 'node:net'
import path from 'node:path'
import { after } from 'node:test'
import { openApi, scopes } from '../../server/api.ts'
import type { NewApiKey } from '../../server/api-keys/schema.ts'
import * as api_keys from '../../server/api-keys/store.ts'
import { type Config, readConfig } from '../../server/config.ts'
import { type At, atNow, inTransaction } from '../../server/kit/at.ts'
import * as clock from '../../server/kit/clock.ts'
import { newId } from '../../server/kit/id.ts'
import { openLog } from '../../server/kit/log.ts'
import { openOutbound } from '../../server/kit/outbound/outbound.ts'
import { migrate } from '../../server/kit/postgres/migrate.ts'
import { openPool, type Pool } from '../../server/kit/postgres/pool.ts'
import { runDue } from '../../server/worker.ts'
import * as workspaces from '../../server/workspaces/store.ts'

export const migrations = path.resolve(import.meta.dirname, '../../migrations')

export interface Answer {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test may look into any answer
  body: any
}

export interface Tenant {
  id: string
  key: string
  /** One request to the base address with the tenant's key. A body that is no text is sent as JSON. */
  call: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>
  /** Posts JSON to an address outside of the base address. */
  send: (url: string, body: unknown, headers?: Record<string, string>) => Promise<Answer>
  /** Another key of the same workspace. */
  newKey: (key?: Partial<NewApiKey>) => Promise<string>
  /** Does what is due in the background by then: in tests nothing happens there by itself. */
  work: (now?: number, timeout_ms?: number) => Promise<void>
}

export interface Server {
  url: string
  pool: Pool
  /** To call the verbs of a workspace directly. */
  at: (workspace: string, now?: number) => At
  /** A fresh workspace with a key of its own: tests never meet. */
  workspace: () => Promise<Tenant>
  /** One request to any address of the server. */
  fetch: (method: string, address: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>
  /** Bytes as they are, on a socket of their own; gives all that comes back until it is closed. */
  say: (bytes: string | Buffer) => Promise<string>
  close: () => Promise<void>
}

export const testPool = (url = process.env.TEST_DATABASE_URL): Pool => {
  if (!url) throw new Error('run it by: npm test -- FILE')
  return openPool({ url, size: 5, on_error: console.error })
}

/** A database of the file's own: a server that works in the background would do the work of other tests as well. */
export async function ownDatabase(name: string): Promise<{ url: string; pool: Pool }> {
  const own = `${name}_${process.pid}`
  const url = process.env.TEST_DATABASE_URL?.replace(/\/[^/]*$/, `/${own}`) ?? ''
  const admin = testPool()
  await admin.script(`create database ${own}`)
  const pool = testPool(url)
  await migrate(pool, migrations)
  after(async () => {
    await pool.close()
    await admin.script(`drop database ${own} with (force)`)
    await admin.close()
  })
  return { url, pool }
}

const isSentAsItIs = (body: unknown): boolean =>
  typeof body === 'string' || body instanceof Buffer || body instanceof FormData

const isEndless = ({ headers }: Response): boolean => headers.get('content-type') === 'text/event-stream'

/** What comes first of an answer without an end, which is then given up. */
async function beginningOf({ body }: Response): Promise<string> {
  for await (const bytes of body ?? []) return Buffer.from(bytes).toString()
  return ''
}

/** What a name leads to must not depend on who answers here, and how soon. */
const nobodyKnows = (name: string): Promise<string[]> =>
  Promise.reject(Object.assign(new Error(`${name} is not known`), { code: 'ENOTFOUND' }))

/** The service on a port of its own in this process, over the run's database, until the file's tests are done. */
export async function serve(changes: Partial<Config> = {}): Promise<Server> {
  const server = await openServer(testPool(), changes)
  after(server.close)
  return server
}

/** The same over any database, until it is closed. */
export async function openServer(pool: Pool, changes: Partial<Config> = {}, find = nobodyKnows): Promise<Server> {
  const secrets_key = randomBytes(32).toString('base64')
  const environment = { RATE_LIMIT_PER_SECOND: '0', LOG_LEVEL: 'silent', DATA_DIR: '.cache', SECRETS_KEY: secrets_key }
  const config = { ...readConfig(environment), ...changes }
  const log = openLog(config.log_level)
  const { app, service } = openApi(pool, config, migrations, log)
  service.tools.outbound = openOutbound({ allowed: config.webhook_allow_hosts, resolve: find })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })

  async function fetchAny(method: string, address: string, body?: unknown, headers: Record<string, string> = {}) {
    const is_json = body !== undefined && !isSentAsItIs(body)
    const response = await fetch(url + address, {
      method,
      headers: { ...(is_json && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && {
        body: is_json ? JSON.stringify(body) : (body as string | Buffer<ArrayBuffer> | FormData),
      }),
    })
    const text = await (isEndless(response) ? beginningOf(response) : response.text())
    const is_object = response.headers.get('content-type')?.startsWith('application/json') && text !== ''
    return { status: response.status, headers: response.headers, text, body: is_object ? JSON.parse(text) : undefined }
  }

  return {
    url,
    pool,
    at: (workspace, now) => atNow(service, workspace, now),
    fetch: fetchAny,
    async workspace() {
      const now = clock.now()
      const created = await workspaces.create({ db: pool, now }, `test ${newId()}`)
      if (!created) throw new Error('two ids are the same')
      const newKey = async (key: Partial<NewApiKey> = {}) => {
        const token = api_keys.newToken()
        const said = { name: 'test', scopes: null, expires_at: null, ...key }
        await inTransaction(atNow(service, created.id, now), (at) => api_keys.create(at, { token, key: said }))
        return token
      }
      // By name: a key without a list may do everything but make keys.
      const key = await newKey({ scopes })
      const call: Tenant['call'] = (method, path, body, headers) =>
        fetchAny(method, `/api/v1${path}`, body, { authorization: `Bearer ${key}`, ...headers })
      const send: Tenant['send'] = (address, body, headers) =>
        fetchAny('POST', new URL(address).pathname, body, headers)
      const work: Tenant['work'] = (at, timeout_ms) => {
        const now = () => at ?? clock.now()
        return runDue({ service, ownAddress: () => url, log, now, ...(timeout_ms && { timeout_ms }) }, created.id)
      }
      return { id: created.id, key, call, send, newKey, work }
    },
    say: (bytes) =>
      new Promise((resolve, reject) => {
        const { port, hostname } = new URL(url)
        const socket = net.connect(Number(port), hostname, () => socket.write(bytes))
        let said = ''
        socket.setEncoding('utf8')
        socket.on('data', (text) => {
          said += text
        })
        socket.on('close', () => resolve(said))
        socket.on('error', reject)
      }),
    async close() {
      await app.close()
      await service.tools.outbound.close()
      await pool.close()
    },
  }
}
