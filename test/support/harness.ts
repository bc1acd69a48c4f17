import { randomBytes } from 'node:crypto'
import net from 'node:net'
import path from 'node:path'
import { after } from 'node:test'
import { request } from 'undici'
import { Parley } from '../../sdk/src/index.ts'
import { openApi, scopes } from '../../server/api.ts'
import type { NewApiKey } from '../../server/api-keys/schema.ts'
import * as api_keys from '../../server/api-keys/store.ts'
import { newToken } from '../../server/api-keys/token.ts'
import { sound } from '../../server/audio/sound.ts'
import type { Call } from '../../server/calls/schema.ts'
import type { Channel, NewChannel } from '../../server/channels/schema.ts'
import * as channels from '../../server/channels/store.ts'
import { type Config, readConfig } from '../../server/config.ts'
import { type AtOutside, atWall, inTransaction } from '../../server/kit/at.ts'
import * as clock from '../../server/kit/clock.ts'
import { newId } from '../../server/kit/id.ts'
import { openLog } from '../../server/kit/log.ts'
import { openOutbound } from '../../server/kit/outbound/outbound.ts'
import { openPool, type Pool } from '../../server/kit/postgres/pool.ts'
import { type BackgroundOptions, runDue } from '../../server/worker.ts'
import * as workspaces from '../../server/workspaces/store.ts'
import { addCall as addCallAt, type CallFields } from './added-calls.ts'
import { copyTemplate } from './database.ts'
import { addFakeSpeech } from './fake-speech.ts'
import { newChannel } from './samples.ts'
import { closeAfterLastFile } from './shared.ts'
import { addClockIn, addTestClock as addTestClockAt } from './test-clocks.ts'

export const migrations = path.resolve(import.meta.dirname, '../../migrations')

/** The token that reads the metrics of servers in tests. */
export const metrics_token = 'token-for-metrics'

export interface Answer {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field
  body: any
}

export interface Tenant {
  id: string
  key: string
  /** Sends a request to the API with the tenant's key. Bodies other than text, bytes and forms are sent as JSON. */
  call: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>
  /** The API with the tenant's key, as clients in TypeScript have it. */
  client: Parley
  /** Posts JSON to a URL outside the API, such as the URL of an integration. */
  send: (url: string, body: unknown, headers?: Record<string, string>) => Promise<Answer>
  /** Creates another key of the workspace. */
  newKey: (key?: Partial<NewApiKey>) => Promise<string>
  /** Makes the workspace a test workspace. Call it before anything else. The clock begins at `now`, in milliseconds. */
  addTestClock: (now?: number, seed?: number) => Promise<void>
  /** Creates a channel, which the public API can't: by default a simulator for SMS. */
  addChannel: (fields?: Partial<NewChannel>) => Promise<Channel>
  /** Adds a call in progress, which the public API can't. */
  addCall: (fields?: CallFields) => Promise<Call>
  /** Runs the background work that is due at that time. In tests nothing runs in the background by itself. */
  work: (
    now?: number,
    timeout_ms?: number,
    options?: Pick<BackgroundOptions, 'is_stepwise' | 'stalled_ms'>,
  ) => Promise<void>
}

export interface Server {
  url: string
  pool: Pool
  /** Makes the `at` for calling verbs directly. */
  at: (workspace: string, now?: number) => AtOutside
  /**
   * Creates a workspace with a key, so that tests don't affect each other. With a time it is a test workspace from its beginning:
   * a worker that runs must not meet it before it has its clock.
   */
  workspace: (test_now?: number) => Promise<Tenant>
  /** Sends a request to any path of the server. */
  fetch: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>
  /** Sends bytes on a new connection and returns everything received until the server closes it. */
  sendBytes: (bytes: string | Buffer) => Promise<string>
  close: () => Promise<void>
}

export const testPool = (url = process.env.TEST_DATABASE_URL): Pool => {
  if (!url) throw new Error('run it with: npm test -- FILE')
  return openPool({ url, size: 5, onError: console.error })
}

/** Creates a database for the test file. A server with background work would otherwise also do the work of other tests. */
export async function createDatabase(name: string): Promise<{ url: string; pool: Pool }> {
  const { url, drop } = await copyTemplate(name)
  const pool = testPool(url)
  after(async () => {
    await pool.close()
    await drop()
  })
  return { url, pool }
}

const isSentUnchanged = (body: unknown): boolean =>
  typeof body === 'string' || body instanceof Buffer || body instanceof FormData

interface Sent {
  method: string
  headers: Record<string, string>
  body?: string | Buffer<ArrayBuffer> | FormData
}

const isApi = (url: string): boolean => /^\/(api\/v1|app)\//.test(new URL(url).pathname)

/** Requests to the API are sent without `fetch`, which takes much longer: tests send tens of thousands. */
async function sendRequest(url: string, { method, headers, body }: Sent): Promise<Omit<Answer, 'body'>> {
  // `fetch` makes the bytes of forms, and reads compressed files.
  if (body instanceof FormData || !isApi(url)) {
    const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) })
    const text = await (isEndless(response.headers) ? readFirstChunk(response.body ?? []) : response.text())
    return { status: response.status, headers: response.headers, text }
  }
  const typed = new Headers({ accept: '*/*', 'user-agent': 'node', ...headers })
  if (typeof body === 'string' && !typed.has('content-type')) typed.set('content-type', 'text/plain;charset=UTF-8')
  const response = await request(url, { method, headers: Object.fromEntries(typed), body: body ?? null })
  const received = new Headers()
  for (const [name, value] of Object.entries(response.headers))
    for (const one of [value ?? []].flat()) received.append(name, one)
  const text = await (isEndless(received) ? readFirstChunk(response.body) : response.body.text())
  return { status: response.statusCode, headers: received, text }
}

const isEndless = (headers: Headers): boolean => headers.get('content-type') === 'text/event-stream'

/** The first chunk of an endless response, which is then canceled. */
async function readFirstChunk(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string> {
  for await (const bytes of body) return Buffer.from(bytes).toString()
  return ''
}

/** Tests must not depend on DNS. */
const resolveNothing = (name: string): Promise<string[]> =>
  Promise.reject(Object.assign(new Error(`${name} is unknown`), { code: 'ENOTFOUND' }))

const shared_servers = new Map<string, Promise<Server>>()
/** Each server holds connections, so only those that most files want are shared. */
const shared_configurations = [{}, { outbound_allow_hosts: ['127.0.0.1'] }].map((one) => JSON.stringify(one))

/**
 * Starts the service in this process with the database of the test run. Starting a server takes longer than most tests, so files
 * share one. With a rare configuration it is closed when the tests of the file are done.
 */
export async function serve(changes: Partial<Config> = {}): Promise<Server> {
  const key = JSON.stringify(changes)
  if (!shared_configurations.includes(key)) {
    const server = withFakeSpeech(await openServer(testPool(), changes))
    after(server.close)
    return server
  }
  const server = shared_servers.get(key) ?? openServer(testPool(), changes).then(withFakeSpeech)
  if (!shared_servers.has(key)) closeAfterLastFile(async () => (await server).close())
  shared_servers.set(key, server)
  // The caller gets a promise of its own: tests that are defined after one that an earlier file has waited for would
  // belong to that file.
  return await server
}

/** Adds fake speech, so that calls in browsers need no models. */
function withFakeSpeech(server: Server): Server {
  addFakeSpeech(server)
  return server
}

/** Starts the service in this process with the given database, until it is closed. */
export async function openServer(pool: Pool, changes: Partial<Config> = {}, resolve = resolveNothing): Promise<Server> {
  const secrets_key = randomBytes(32).toString('base64')
  const environment = {
    RATE_LIMIT_PER_SECOND: '0',
    LOG_LEVEL: 'silent',
    DATA_DIR: '.cache',
    SECRETS_KEY: secrets_key,
    METRICS_TOKEN: metrics_token,
  }
  const config = { ...readConfig(environment), ...changes }
  const log = openLog(config.log_level)
  const { app, service, markAsSetUp } = openApi(pool, config, migrations, log)
  markAsSetUp()
  service.tools.outbound = openOutbound({ allowed: config.outbound_allow_hosts, resolve })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })

  async function fetchAny(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const is_json = body !== undefined && !isSentUnchanged(body)
    const answer = await sendRequest(url + path, {
      method,
      headers: { ...(is_json && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && {
        body: is_json ? JSON.stringify(body) : (body as string | Buffer<ArrayBuffer> | FormData),
      }),
    })
    const { text } = answer
    const is_object = answer.headers.get('content-type')?.startsWith('application/json') && text !== ''
    return { ...answer, body: is_object ? JSON.parse(text) : undefined }
  }

  return {
    url,
    pool,
    at: (workspace, now) => atWall(service, workspace, now),
    fetch: fetchAny,
    async workspace(test_now) {
      const now = clock.wall()
      const created = await pool.tx(async (db) => {
        const added = await workspaces.create({ db, now }, { name: `test ${newId()}` })
        if (added && test_now) await addClockIn({ ...atWall(service, added.id, test_now), db })
        return added
      })
      if (!created) throw new Error('the name is taken')
      const newKey = async (key: Partial<NewApiKey> = {}) => {
        const token = newToken()
        const fields = { name: 'test', scopes: null, expires_at: null, ...key }
        await inTransaction(atWall(service, created.id, now), (at) => api_keys.create(at, { token, key: fields }))
        return token
      }
      const addTestClock: Tenant['addTestClock'] = (at_ms = now, seed) =>
        addTestClockAt(atWall(service, created.id, at_ms), seed)
      const addChannel: Tenant['addChannel'] = (fields) =>
        inTransaction(atWall(service, created.id), (at) => channels.create(at, newChannel(fields)))
      const addCall: Tenant['addCall'] = (fields) => addCallAt(atWall(service, created.id), fields)
      // The key has a list of scopes, because a key without one may not create keys.
      const key = await newKey({ scopes })
      const call: Tenant['call'] = (method, path, body, headers) =>
        fetchAny(method, `/api/v1${path}`, body, { authorization: `Bearer ${key}`, ...headers })
      const send: Tenant['send'] = (to, body, headers) => {
        const { pathname, search } = new URL(to)
        return fetchAny('POST', pathname + search, body, headers)
      }
      const work: Tenant['work'] = (at, timeout_ms, given) => {
        const atOf = async (id: string) => ({ ...atWall(service, id, at), is_test: true })
        const options = { service, ownAddress: () => url, log, events_keep_days: config.events_keep_days, ...given }
        return runDue({ ...options, ...(at && { atOf }), ...(timeout_ms && { timeout_ms }) }, created.id)
      }
      const client = new Parley({ apiKey: key, baseUrl: url })
      return { id: created.id, key, call, client, send, newKey, addTestClock, addChannel, addCall, work }
    },
    sendBytes: (bytes) =>
      new Promise((resolve, reject) => {
        const { port, hostname } = new URL(url)
        const socket = net.connect(Number(port), hostname, () => socket.write(bytes))
        let received = ''
        socket.setEncoding('utf8')
        socket.on('data', (text) => {
          received += text
        })
        socket.on('close', () => resolve(received))
        socket.on('error', reject)
      }),
    async close() {
      await app.close()
      await sound.of(service).close()
      await service.tools.traces?.close()
      await service.tools.outbound.close()
      await service.tools.blobs.close()
      await pool.close()
    },
  }
}
