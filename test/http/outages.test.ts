import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { pino } from 'pino'
import { openApi } from '../../server/api.ts'
import { readConfig } from '../../server/config.ts'
import * as clock from '../../server/kit/clock.ts'
import { openPool, type Pool } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { waitUntil } from '../faults/client.ts'
import { openDatabaseProxy } from '../faults/database-proxy.ts'
import { create } from '../support/contacts.ts'
import { migrations, openServer, serve, type Tenant } from '../support/harness.ts'
import { exchangeBytes, rawCreate } from '../support/raw-http.ts'
import { newContact } from '../support/samples.ts'

const { workspace, pool } = await serve()
const database_url = String(process.env.TEST_DATABASE_URL)
/** Three seconds on a machine that doesn't pause. A statement times out after 35. */
const frozen_max_ms = 20_000

/** A service on the given pool. `close` returns its log lines from `level` upwards. */
function openService(own_pool: Pool, level: 'error' | 'warn' = 'error') {
  const lines = new PassThrough()
  const logged = text(lines)
  const { app } = openApi(own_pool, readConfig({ LOG_LEVEL: 'silent' }), migrations, pino({ level }, lines))
  after(() => app.close())
  const call = async ({ key }: Tenant, method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) => {
    const answer = await app.inject({
      method,
      url: `/api/v1${path}`,
      headers: { authorization: `Bearer ${key}` },
      ...(body && { body }),
    })
    return { status: answer.statusCode, headers: answer.headers, text: answer.body, body: answer.json() }
  }
  const close = async () => {
    await app.close()
    lines.end()
    return logged
  }
  return { app, call, close }
}

test('without a database every request gets 503 with Retry-After', async () => {
  const tenant = await workspace()
  const unreachable = openPool({ url: 'postgres://nobody:secret@127.0.0.1:1/none', size: 2, onError: assert.fail })
  const { app, call } = openService(unreachable)
  for (const [method, path, body] of [
    ['GET', '/contacts', undefined],
    ['POST', '/contacts', newContact()],
    ['GET', '/agents', undefined],
  ] as const) {
    const { status, headers, body: answer, text } = await call(tenant, method, path, body)
    assert.deepEqual([status, answer.error.code, headers['retry-after']], [503, 'SERVICE_UNAVAILABLE', '1'])
    assert.doesNotMatch(text, /secret|nobody|127\.0\.0\.1|ECONN/)
  }
  assert.equal((await app.inject('/health')).statusCode, 200)
})

test('reads in flight get 503 when the database stops answering, and slow ones of a database that answers go on', async (t) => {
  await using stack = new AsyncDisposableStack()
  const proxy = await openDatabaseProxy(stack, database_url)
  const server = await openServer(openPool({ url: proxy.url, size: 3, onError: () => {} }))
  t.after(server.close)
  const tenant = await server.workspace()
  const { id } = await create(tenant)
  const paths = [`/contacts/${id}`, '/contacts', '/contacts/export', '/agents']
  for (const path of paths) assert.equal((await tenant.call('GET', path)).status, 200)
  const slow = pool.whileResponsive(() => pool.one<{ is_read: boolean }>(sql`select true as is_read from pg_sleep(5)`))
  proxy.stopForwarding()
  const frozen_at = clock.ticks()
  const answers = await Promise.all(paths.map((path) => tenant.call('GET', path)))
  for (const { status, headers } of answers) assert.deepEqual([status, headers.get('retry-after')], [503, '1'])
  const waited_ms = clock.ticks() - frozen_at
  assert.ok(waited_ms < frozen_max_ms, `they have waited for ${waited_ms} ms`)
  proxy.forwardTo(database_url)
  await waitUntil('the server reads again', async () => (await tenant.call('GET', '/contacts')).status === 200)
  assert.deepEqual(await slow, { is_read: true })
})

test('503 responses are logged at most once a second, without a stack', async () => {
  const tenant = await workspace()
  const unreachable = openPool({ url: 'postgres://nobody:secret@127.0.0.1:1/none', size: 2, onError: assert.fail })
  const { call, close } = openService(unreachable, 'warn')
  const answers = await Promise.all(Array.from({ length: 50 }, () => call(tenant, 'GET', '/contacts')))
  for (const { status } of answers) assert.equal(status, 503)
  const log = (await close())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.ok(log.length < answers.length, `${log.length} lines`)
  const [{ level, msg, count, reason, err }] = log
  assert.deepEqual([level, msg, count, err], [40, 'answered 503', 1, undefined])
  assert.match(reason, /ECONNREFUSED/)
})

test('the service opens new connections when its connections are terminated', async () => {
  const own_pool = openPool({ url: database_url, size: 3, onError: () => {} })
  const { call } = openService(own_pool)
  after(() => own_pool.close())
  const tenant = await workspace()
  const { id } = await create(tenant)
  const backends = await Promise.all(
    Array.from({ length: 3 }, () =>
      own_pool.tx((db) => db.one<{ pid: number }>(sql`select pg_backend_pid() as pid, pg_sleep(0.05)`)),
    ),
  )
  const pids = backends.map(({ pid }) => pid)
  assert.equal(new Set(pids).size, 3)
  await pool.many(sql`select pg_terminate_backend(pid) from unnest(${pids}::int[]) as pid`)
  let status = 503
  for (let count = 0; status !== 200; count += 1) {
    status = (await call(tenant, 'PATCH', `/contacts/${id}`, { notes: `${count}` })).status
    assert.ok(status === 200 || (status === 503 && count < 10), `${status} in attempt ${count}`)
  }
})

test('an internal error is a 500 without details, and is logged in full', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant)
  const secret = 'select password from secrets'
  const fail = async () => {
    throw new Error(secret)
  }
  const is_key_lookup = /api_key_directory/
  const { call, close } = openService({
    ...pool,
    tx: fail,
    many: (statement) => (is_key_lookup.test(statement.text) ? pool.many(statement) : fail()),
  })
  const ids: string[] = []
  for (const [method, path, body] of [
    ['GET', `/contacts/${id}`, undefined],
    ['GET', '/contacts', undefined],
    ['POST', '/contacts', newContact()],
  ] as const) {
    const { status, headers, text, body: answer } = await call(tenant, method, path, body)
    assert.deepEqual([status, answer.error.code], [500, 'INTERNAL_ERROR'])
    assert.deepEqual(answer.error.details, { request_id: headers['x-request-id'] })
    assert.doesNotMatch(text, /select|password|\.ts|at /)
    ids.push(answer.error.details.request_id)
  }
  const log = await close()
  for (const request_id of ids) assert.match(log, new RegExp(`${secret}.*${request_id}`))
  assert.equal(log.includes(tenant.key), false)
})

test('a client that disconnects in the middle of a body is not logged as an error', async () => {
  const tenant = await workspace()
  const { app, call, close } = openService(pool)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  await call(tenant, 'GET', '/contacts') // caches the key, so that the next body is read at once
  const arrived = new Promise((resolve) => app.server.once('request', resolve))
  const gone = new Promise((resolve) => app.server.once('connection', (socket) => socket.once('close', resolve)))
  await exchangeBytes(url, (socket) => {
    socket.write(rawCreate(tenant, ['Content-Length: 50'], '{"phone'))
    void arrived.then(() => setImmediate(() => socket.destroy()))
  })
  await gone
  assert.equal(await close(), '')
})
