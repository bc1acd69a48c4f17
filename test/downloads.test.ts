import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Server as NetServer } from 'node:net'
import { availableParallelism } from 'node:os'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openApi } from '../server/api.ts'
import { readConfig } from '../server/config.ts'
import * as events from '../server/events/store.ts'
import type { Pool } from '../server/kit/db.ts'
import { newId } from '../server/kit/id.ts'
import { openLog } from '../server/kit/log.ts'
import { overloaded } from '../server/kit/problem.ts'
import type { Sql } from '../server/kit/sql.ts'
import { openBody } from '../server/kit/stream-body.ts'
import { migrations, serve, type Tenant, testPool } from './harness.ts'
import { addLargeContacts, askWithoutReading, endOf } from './readers.ts'
import { imported } from './uploads.ts'

const { workspace, pool } = await serve()

/** More than a kernel takes for a client that doesn't read. */
const many = 10_000
const never_ms = 1_000_000
const forever = { signal: new AbortController().signal, isWelcome: async () => true }

async function large(): Promise<Tenant> {
  const tenant = await workspace()
  await addLargeContacts(pool, tenant.id, many)
  return tenant
}

/** A server whose clients may pause for so long, over a pool that does this with each page of an export. */
async function over(stalled_after_ms: number, onPage?: (read: () => Promise<unknown[]>) => Promise<unknown[]>) {
  const own_pool = testPool()
  const watched: Pool = {
    ...own_pool,
    many: async <Row>(statement: Sql) => {
      const read = () => own_pool.many<Row>(statement)
      const is_page = statement.text.includes('as page_id from')
      return (await (is_page && onPage ? onPage(read) : read())) as Row[]
    },
  }
  const config = readConfig({ LOG_LEVEL: 'silent', RATE_LIMIT_PER_SECOND: '0' })
  const { app } = openApi(watched, config, migrations, openLog('silent'), { stalled_after_ms })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  after(async () => {
    app.server.closeAllConnections()
    await app.close()
    await own_pool.close()
  })
  const get = ({ key }: Tenant, path: string, method = 'GET') =>
    fetch(`${url}/api/v1${path}`, { method, headers: { authorization: `Bearer ${key}`, connection: 'close' } })
  return { app, url, get }
}

const connectionsOf = (server: NetServer): Promise<number> =>
  new Promise((resolve, reject) => server.getConnections((error, count) => (error ? reject(error) : resolve(count))))

/** Once the answer has begun. */
async function stall(url: string, { key }: Tenant, path = '/contacts/export') {
  const socket = askWithoutReading(url, key, path)
  await once(socket, 'readable')
  return socket
}

test('a workspace has four downloads at once, apart from its other requests and from other workspaces', async () => {
  const { url, get } = await over(never_ms)
  const [tenant, other] = [await large(), await workspace()]
  const { id } = await imported(tenant, 'phone\n+14155550100\n')
  const stalled = await Promise.all(Array.from({ length: 4 }, () => stall(url, tenant)))
  for (const path of ['/contacts/export', `/contacts/imports/${id}/rows.csv`]) {
    const refused = await get(tenant, path)
    const { error } = Object(await refused.json())
    assert.deepEqual([refused.status, error.code, error.details.limit], [503, 'SERVICE_UNAVAILABLE', 4])
    assert.equal(refused.headers.get('retry-after'), '10')
    assert.equal((await get(tenant, path, 'HEAD')).status, 200, 'a HEAD is no download')
  }
  assert.equal((await get(tenant, '/contacts')).status, 200)
  const theirs = await get(other, '/contacts/export')
  assert.deepEqual([theirs.status, (await theirs.text()).split('\r\n').length], [200, 2])
  stalled.pop()?.destroy()
  let status: number
  do status = (await get(tenant, `/contacts/imports/${id}/rows.csv`)).status
  while (status === 503)
  assert.equal(status, 200)
  for (const socket of stalled) socket.destroy()
})

test('HEAD, a download that is whole, and one that is refused leave nothing behind', async () => {
  const { get } = await over(never_ms)
  const tenant = await workspace()
  for (let count = 0; count < 6; count += 1) {
    assert.equal((await get(tenant, '/contacts/export', 'HEAD')).status, 200)
    assert.equal((await get(tenant, '/contacts/export?limit=1')).status, 400)
    assert.equal((await get(tenant, `/contacts/imports/${newId()}/rows.csv`)).status, 404)
    const whole = await get(tenant, '/contacts/export')
    assert.equal(whole.status, 200)
    await whole.text()
  }
})

test('a download is reset when its client stops reading', async () => {
  const { app, url, get } = await over(200)
  const tenant = await large()
  const stalled = await Promise.all(Array.from({ length: 4 }, () => stall(url, tenant)))
  while ((await connectionsOf(app.server)) > 0) await sleep(10)
  assert.equal((await get(tenant, '/contacts/export')).status, 200)
  for (const socket of stalled) assert.equal(await endOf(socket), 'ECONNRESET')
})

test('who asks for downloads one behind the other and hangs up leaves none behind', async () => {
  const { url, get } = await over(never_ms)
  const tenant = await large()
  const { id } = await imported(tenant, 'phone\n+14155550100\n')
  const socket = await stall(url, tenant)
  const head = `Host: parley.test\r\nAuthorization: Bearer ${tenant.key}\r\n\r\n`
  for (let count = 0; count < 3; count += 1) socket.write(`GET /api/v1/contacts/export HTTP/1.1\r\n${head}`)
  const statusOf = async () => (await get(tenant, `/contacts/imports/${id}/rows.csv`)).status
  while ((await statusOf()) === 200);
  socket.destroy()
  while ((await statusOf()) === 503);
  const stalled = await Promise.all(Array.from({ length: 4 }, () => stall(url, tenant)))
  for (const one of stalled) {
    assert.match(String(one.read()), /^HTTP\/1.1 200/)
    one.destroy()
  }
})

test('who reads slowly gets the whole file', async () => {
  const { url } = await over(2_000)
  const tenant = await large()
  const socket = (await stall(url, tenant)).setEncoding('latin1')
  let end = ''
  for await (const text of socket) {
    end = (end + String(text)).slice(-5)
    if (end === '0\r\n\r\n') break
    await sleep(10)
  }
  assert.equal(end, '0\r\n\r\n')
})

test('a stream of events is reset when its client stops reading', async () => {
  const { app, url } = await over(200)
  const tenant = await workspace()
  const first = (await tenant.call('GET', '/events?limit=1')).body.data[0].id
  const notes = 'x'.repeat(2_000)
  const news = Array.from({ length: 8_000 }, () => ({ data: { id: newId(), notes } }))
  await pool.tx((db) => events.recordMany(db, tenant.id, 'contact.created', news, Date.now()))
  const total = async () => (await tenant.call('GET', '/events?limit=1')).body.pagination.total
  while ((await total()) <= news.length);
  const socket = await stall(url, tenant, `/events/stream?after=${first}`)
  while ((await connectionsOf(app.server)) > 0) await sleep(10)
  assert.equal(await endOf(socket), 'ECONNRESET')
})

test('a file that breaks off resets the connection, also of a client that knows no other end', async () => {
  let pages = 0
  const { url } = await over(never_ms, async (read) => {
    pages += 1
    if (pages % 2 === 0) throw new Error('the second page of each is lost')
    return read()
  })
  const tenant = await workspace()
  await addLargeContacts(pool, tenant.id, 1_500)
  for (const version of ['1.1', '1.0']) {
    const socket = askWithoutReading(url, tenant.key, '/contacts/export', version)
    assert.equal(await endOf(socket), 'ECONNRESET', version)
  }
})

test('downloads read each page in the queue of lists, and filtered ones in the queue of expensive lists', async () => {
  let [running, most] = [0, 0]
  const { get } = await over(never_ms, async (read) => {
    running += 1
    most = Math.max(most, running)
    await sleep(20)
    return read().finally(() => {
      running -= 1
    })
  })
  const tenant = await workspace()
  await addLargeContacts(pool, tenant.id, 3_500)
  for (const [query, most_allowed] of [
    ['', 3],
    ['?source=import', Math.min(3, Math.max(1, availableParallelism() - 1))],
  ] as const) {
    most = 0
    const files = await Promise.all(
      Array.from({ length: 4 }, async () => (await get(tenant, `/contacts/export${query}`)).text()),
    )
    for (const file of files) assert.equal(file.split('\r\n').length, 3_502)
    assert.ok(most <= most_allowed, `${most} pages were read at once${query}`)
  }
})

async function* pieces() {
  for (const piece of ['a', 'b', 'c']) yield piece
}

test('a page that gets no turn is tried again, and the file is whole', async () => {
  let turns = 0
  const body = await openBody(pieces(), forever, {
    retry_after_ms: 1,
    inQueue: async (read) => {
      turns += 1
      if (turns % 2 === 0) throw overloaded()
      return read()
    },
  })
  assert.equal(await text(body), 'abc')
})

test('a file breaks off when a page gets no turn again and again, or fails', async () => {
  let turns = 0
  const body = await openBody(pieces(), forever, {
    retry_after_ms: 1,
    inQueue: async (read) => {
      turns += 1
      if (turns > 1) throw overloaded()
      return read()
    },
  })
  await assert.rejects(text(body), /more to do/)
  assert.ok(turns > 2 && turns < 100)
  const failing = await openBody(
    Readable.from(
      (async function* () {
        yield 'a'
        throw new Error('lost')
      })(),
    ),
    forever,
    { retry_after_ms: 1, inQueue: (read) => read() },
  )
  await assert.rejects(text(failing), /lost/)
})
