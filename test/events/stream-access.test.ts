import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openApi } from '../../server/api.ts'
import { readConfig } from '../../server/config.ts'
import { iso } from '../../server/kit/clock.ts'
import { streams_per_workspace_max } from '../../server/kit/http/stream-limits.ts'
import { openLog } from '../../server/kit/log.ts'
import type { Pool } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { create } from '../support/contacts.ts'
import { type EventStream, listAll, openStream } from '../support/event-streams.ts'
import { migrations, openServer, serve, type Tenant, testPool } from '../support/harness.ts'
import { inWorkspace, newPerson } from '../support/sessions.ts'

const server = await serve()
const { workspace, pool } = server
/** Between changes that let a stream check whether it may continue. */
const pause_ms = 20
const day_ms = 24 * 60 * 60 * 1000

const to = (tenant: Tenant, query = '', headers = {}, url = server.url, key = tenant.key): Promise<EventStream> =>
  openStream(`${url}/api/v1/events/stream${query}`, { authorization: `Bearer ${key}`, ...headers })

test('a stream ends when its key is revoked or expires', async () => {
  const tenant = await workspace()
  const expires_at = new Date(Date.now() + 1_500).toISOString()
  const streams = await Promise.all([
    to(tenant, '', {}, server.url, await tenant.newKey({ name: 'revoked' })),
    to(tenant, '', {}, server.url, await tenant.newKey({ name: 'expires', expires_at })),
  ])
  const { body } = await tenant.call('GET', '/api_keys')
  const { id } = body.data.find(({ name }: { name: string }) => name === 'revoked')
  await tenant.call('DELETE', `/api_keys/${id}`)
  let is_over = false
  const ended = Promise.all(streams.map((stream) => stream.ended)).then(() => {
    is_over = true
  })
  for (; !is_over; await sleep(pause_ms)) await create(tenant)
  await ended
  const all = (await listAll(tenant)).length
  for (const { received } of streams) assert.ok(received.length < all)
})

test('a session streams the workspace that the header or the query names, until the session ends', async () => {
  const tenant = await workspace()
  const owner = await newPerson(server, { [tenant.id]: 'owner' })
  const address = `${server.url}/app/api/v1/events/stream`
  const cookie = owner.cookie()
  const streams = await Promise.all([
    openStream(address, { cookie, ...inWorkspace(tenant) }),
    openStream(`${address}?workspace=${tenant.id}`, { cookie }),
  ])
  assert.deepEqual(
    streams.map(({ status }) => status),
    [200, 200],
  )
  // Until the session was checked again.
  const began_at = performance.now()
  let count = 0
  do {
    await create(tenant)
    count += 1
    for (const stream of streams) await stream.waitFor(count)
  } while (performance.now() - began_at < 1_000)
  assert.equal((await owner.go('DELETE', '/session')).status, 200)
  const ended = Promise.all(streams.map((stream) => stream.ended))
  let is_over = false
  void ended.then(() => {
    is_over = true
  })
  for (; !is_over; await sleep(pause_ms)) await create(tenant)
  await ended
})

test('an open stream does not count as use of its session, and ends when the session has been idle for 14 days', async () => {
  const tenant = await workspace()
  const owner = await newPerson(server, { [tenant.id]: 'owner' })
  const stream = await openStream(`${server.url}/app/api/v1/events/stream`, {
    cookie: owner.cookie(),
    ...inWorkspace(tenant),
  })
  const setLastUsed = (days: number) =>
    pool.run(sql`update sessions set last_used_at = ${iso(Date.now() - days * day_ms)} where person_id = ${owner.id}`)
  const lastUsed = async () =>
    (await pool.one<{ at: string }>(sql`select last_used_at as at from sessions where person_id = ${owner.id}`)).at
  await setLastUsed(13)
  const before = await lastUsed()
  // Until the session was checked again.
  const began_at = performance.now()
  let count = 0
  do {
    await create(tenant)
    count += 1
    await stream.waitFor(count)
  } while (performance.now() - began_at < 1_000)
  assert.equal(await lastUsed(), before)
  await setLastUsed(14.001)
  let is_over = false
  void stream.ended.then(() => {
    is_over = true
  })
  for (; !is_over; await sleep(pause_ms)) await create(tenant)
})

test('an open stream does not count as use of its key', async () => {
  const own_pool = testPool()
  const { app, recordKeyUses } = openApi(own_pool, readConfig({ LOG_LEVEL: 'silent' }), migrations, openLog('silent'))
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  after(async () => {
    await app.close()
    await own_pool.close()
  })
  const tenant = await workspace()
  const stream = await to(tenant, '', {}, url)
  await recordKeyUses()
  const usedAt = async () =>
    (
      await pool.one<{ at: string | null }>(
        sql`select last_used_at as at from api_keys where workspace_id = ${tenant.id}`,
      )
    ).at
  assert.notEqual(await usedAt(), null, 'the request counts as use')
  await pool.run(sql`update api_keys set last_used_at = null where workspace_id = ${tenant.id}`)
  const began_at = performance.now()
  let count = 0
  do {
    // By the other server, which records the use of the key separately.
    await create(tenant)
    count += 1
    await stream.waitFor(count)
  } while (performance.now() - began_at < 1_000)
  await recordKeyUses()
  assert.equal(await usedAt(), null)
  stream.close()
})

test('streams end when the server stops', async () => {
  const stopping = await openServer(testPool())
  const tenant = await stopping.workspace()
  const streams = await Promise.all([to(tenant, '', {}, stopping.url), to(tenant, '', {}, stopping.url)])
  await stopping.close()
  await Promise.all(streams.map(({ ended }) => ended))
})

test('the streams of a workspace are limited, and other workspaces are not affected', async () => {
  const [tenant, other] = await Promise.all([workspace(), workspace()])
  const streams = await Promise.all(Array.from({ length: streams_per_workspace_max }, () => to(tenant)))
  const refused = await tenant.call('GET', '/events/stream')
  assert.deepEqual([refused.status, refused.body.error.code], [429, 'RATE_LIMITED'])
  assert.match(refused.body.error.message, /100 at once/)
  assert.equal((await other.call('GET', '/events/stream')).status, 200)
  assert.equal((await tenant.call('GET', '/contacts')).status, 200, 'other requests are not affected')
  await create(tenant)
  for (const stream of streams) await stream.waitFor(1)
  streams.pop()?.close()
  let status: number
  do status = (await tenant.call('GET', '/events/stream')).status
  while (status === 429)
  assert.equal(status, 200)
  for (const stream of streams) stream.close()
})

test('a client that disconnects while it is being identified leaves no stream behind', async () => {
  const own_pool = testPool()
  const gate = Promise.withResolvers<void>()
  let reads = 0
  const slow: Pool = {
    ...own_pool,
    async many(statement) {
      if (!statement.text.includes('join sessions')) return own_pool.many(statement)
      reads += 1
      await gate.promise
      return own_pool.many(statement)
    },
  }
  const here = await openServer(slow)
  after(here.close)
  const tenant = await here.workspace()
  const owner = await newPerson(here, { [tenant.id]: 'owner' })
  const { hostname, port } = new URL(here.url)
  const lines = [
    `GET /app/api/v1/events/stream?workspace=${tenant.id} HTTP/1.1`,
    'Host: here',
    `Cookie: ${owner.cookie()}`,
  ]
  const sockets = Array.from({ length: streams_per_workspace_max }, () => {
    const socket = net.connect(Number(port), hostname)
    socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    return socket
  })
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  // One statement identifies many of them.
  while (reads === 0) await sleep(10)
  for (const socket of sockets) socket.destroy()
  // Until the server has noticed. If that takes longer, the test shows nothing, but doesn't fail.
  await sleep(100)
  gate.resolve()
  assert.equal((await owner.go('GET', '/session')).status, 200)
  const stream = await to(tenant, '', {}, here.url)
  stream.close()
  assert.equal(stream.status, 200)
})

test('HEAD returns the headers of the stream and ends', async () => {
  const tenant = await workspace()
  const { status, headers, text } = await tenant.call('HEAD', '/events/stream')
  assert.deepEqual([status, headers.get('content-type'), text], [200, 'text/event-stream', ''])
})
