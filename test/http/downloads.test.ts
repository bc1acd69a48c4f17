import assert from 'node:assert/strict'
import type { Server as NetServer, Socket } from 'node:net'
import { availableParallelism } from 'node:os'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openApi } from '../../server/api.ts'
import { readConfig } from '../../server/config.ts'
import { event_types } from '../../server/contacts/event-types.ts'
import * as events from '../../server/events/store.ts'
import { inTransaction } from '../../server/kit/at.ts'
import { openStreamBody } from '../../server/kit/http/stream-body.ts'
import { newId } from '../../server/kit/id.ts'
import { openLog } from '../../server/kit/log.ts'
import type { Pool } from '../../server/kit/postgres/pool.ts'
import type { Sql } from '../../server/kit/postgres/sql.ts'
import { overloaded } from '../../server/kit/problem.ts'
import { waitUntil } from '../faults/client.ts'
import { migrations, serve, type Tenant, testPool } from '../support/harness.ts'
import { addLargeContacts, askWithoutReading, beginningOf, endOf } from '../support/readers.ts'
import { importFile } from '../support/uploads.ts'

const { workspace, pool, at } = await serve()

const never_ms = 1_000_000
/** Long enough for a busy process to read the start of the response first. */
const soon_ms = 1_000
/** 9 MB: more than the kernel buffers for a client that doesn't read, which is 4 MB on Linux. */
const large = { contacts: 900, notes_bytes: 10_000 }
const forever = { signal: new AbortController().signal, mayContinue: async () => true }
/** An empty export. */
const small_path = '/contacts/export?source=webhook'

async function withContacts({ contacts, notes_bytes }: typeof large): Promise<Tenant> {
  const tenant = await workspace()
  await addLargeContacts(pool, tenant.id, contacts, notes_bytes)
  return tenant
}

type OnPage = (read: () => Promise<unknown[]>, is_first: boolean) => Promise<unknown[]>

/** A server with this limit for stalled clients. `onPage` wraps the read of each page of an export. */
async function over(stalled_after_ms: number, onPage?: OnPage) {
  const own_pool = testPool()
  const watched: Pool = {
    ...own_pool,
    many: async <Row>(statement: Sql) => {
      const read = () => own_pool.many<Row>(statement)
      const is_page = statement.text.includes('as page_id from')
      if (!is_page || !onPage) return read()
      const is_first = statement.text.includes('where true')
      // onPage returns the rows that read returned.
      return (await onPage(read, is_first)) as Row[]
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
  /** Retries while the server is too busy to read, which has nothing to do with downloads. */
  async function get({ key }: Tenant, path: string, method = 'GET') {
    let answer = { status: 0, headers: new Headers(), text: '' }
    await waitUntil('the server has time', async () => {
      const headers = { authorization: `Bearer ${key}`, connection: 'close' }
      const response = await fetch(`${url}/api/v1${path}`, { method, headers })
      answer = { status: response.status, headers: response.headers, text: await response.text() }
      return !isBusy(answer.text)
    })
    return answer
  }
  return { app, url, get }
}

const isBusy = (answer: string): boolean => answer.includes(overloaded('waited_too_long').message)

const countConnections = (server: NetServer): Promise<number> =>
  new Promise((resolve, reject) => server.getConnections((error, count) => (error ? reject(error) : resolve(count))))

/** A client that reads the start of a response with status 200, then stops reading. */
async function stall(url: string, { key }: Tenant, path = '/contacts/export'): Promise<Socket> {
  const ask = () => askWithoutReading(url, key, path)
  let socket = ask()
  await waitUntil('the server has time', async () => {
    const beginning = await beginningOf(socket)
    if (beginning.startsWith('HTTP/1.1 200 ')) return true
    assert.ok(isBusy(beginning), beginning)
    socket = ask()
    return false
  })
  return socket
}

const stallFour = (url: string, tenant: Tenant): Promise<Socket[]> =>
  Promise.all(Array.from({ length: 4 }, () => stall(url, tenant)))

test('a workspace can run four downloads; other requests and other workspaces are not affected', async () => {
  const { url, get } = await over(never_ms)
  const [tenant, other] = [await withContacts(large), await workspace()]
  const { id } = await importFile(tenant, 'phone\n+14155550100\n')
  const stalled = await stallFour(url, tenant)
  for (const path of ['/contacts/export', `/contacts/imports/${id}/rows.csv`]) {
    const refused = await get(tenant, path)
    const { error } = JSON.parse(refused.text)
    assert.deepEqual([refused.status, error.code, error.details.limit], [503, 'SERVICE_UNAVAILABLE', 4])
    assert.equal(refused.headers.get('retry-after'), '10')
    assert.equal((await get(tenant, path, 'HEAD')).status, 200, 'a HEAD does not count as a download')
  }
  assert.equal((await get(tenant, '/contacts')).status, 200)
  const theirs = await get(other, '/contacts/export')
  assert.deepEqual([theirs.status, theirs.text.split('\r\n').length], [200, 2])
  stalled.pop()?.destroy()
  await waitUntil(
    'its slot is free',
    async () => (await get(tenant, `/contacts/imports/${id}/rows.csv`)).status === 200,
  )
  for (const socket of stalled) socket.destroy()
})

test('HEAD, finished downloads and rejected downloads release their slots', async () => {
  const { url, get } = await over(never_ms)
  const tenant = await withContacts({ ...large, contacts: 10 })
  for (let count = 0; count < 5; count += 1) {
    assert.equal((await get(tenant, '/contacts/export', 'HEAD')).status, 200)
    assert.equal((await get(tenant, '/contacts/export?limit=1')).status, 400)
    assert.equal((await get(tenant, `/contacts/imports/${newId()}/rows.csv`)).status, 404)
    // The server may see the close of the connection, which frees the slot, later than the client.
    await waitUntil('there is a slot', async () => (await get(tenant, '/contacts/export')).status === 200)
  }
  await stallFour(url, await withContacts(large))
})

test('a download is reset when its client stops reading, and its slot is released', async () => {
  const { app, url, get } = await over(soon_ms)
  const tenant = await withContacts(large)
  const stalled = await stallFour(url, tenant)
  await waitUntil('all are reset', async () => (await countConnections(app.server)) === 0)
  assert.equal((await get(tenant, small_path)).status, 200)
  for (const socket of stalled) assert.equal(await endOf(socket), 'ECONNRESET')
})

test('pipelined downloads release their slots when the client disconnects', async () => {
  let begun = 0
  const { url, get } = await over(never_ms, (read, is_first) => {
    begun += Number(is_first)
    return read()
  })
  const tenant = await withContacts(large)
  const socket = await stall(url, tenant)
  const head = `Host: parley.test\r\nAuthorization: Bearer ${tenant.key}\r\n\r\n`
  for (let count = 0; count < 3; count += 1) socket.write(`GET /api/v1/contacts/export HTTP/1.1\r\n${head}`)
  // Counted here, because a request would take one of the slots.
  await waitUntil('all four have a slot', () => begun === 4)
  assert.equal((await get(tenant, small_path)).status, 503)
  socket.destroy()
  await waitUntil('there is a slot', async () => (await get(tenant, small_path)).status === 200)
  for (const one of await stallFour(url, tenant)) one.destroy()
})

/** Whether a client that exceeds the limit in total, but not for any chunk, gets the whole file. */
async function isWholeAt(limit_ms: number, tenant: Tenant): Promise<boolean> {
  const { url } = await over(limit_ms)
  const socket = askWithoutReading(url, tenant.key, '/contacts/export').setEncoding('latin1')
  const begun_at = performance.now()
  let end = ''
  try {
    for await (const text of socket) {
      end = (end + String(text)).slice(-5)
      if (end === '0\r\n\r\n') break
      await sleep(limit_ms / 100)
    }
  } catch (error) {
    assert.equal(Object(error).code, 'ECONNRESET')
  }
  assert.ok(performance.now() - begun_at > limit_ms, 'the file was read too fast for this test')
  return end === '0\r\n\r\n'
}

test('a slow client gets the whole file', async () => {
  const tenant = await withContacts({ contacts: 1_900, notes_bytes: 10_000 })
  // On a busy machine the process itself can exceed a short limit.
  for (const limit_ms of [300, 1_000, 3_000]) if (await isWholeAt(limit_ms, tenant)) return
  assert.fail('it was reset each time')
})

test('a stream of events is reset when its client stops reading', async () => {
  const { app, url } = await over(soon_ms)
  const tenant = await workspace()
  const first = (await tenant.call('GET', '/events?limit=1')).body.data[0].id
  const notes = 'x'.repeat(10_000)
  const news = Array.from({ length: 900 }, () => ({ data: { id: newId(), notes } }))
  await inTransaction(at(tenant.id), (at) => events.recordMany(at, event_types.created, news))
  const socket = await stall(url, tenant, `/events/stream?after=${first}`)
  await waitUntil('it is reset', async () => (await countConnections(app.server)) === 0)
  assert.equal(await endOf(socket), 'ECONNRESET')
})

test('a file that fails midway resets the connection, also with HTTP/1.0', async () => {
  let pages = 0
  const { url } = await over(never_ms, async (read) => {
    pages += 1
    if (pages % 2 === 0) throw new Error('the second page of each is lost')
    return read()
  })
  const tenant = await withContacts({ contacts: 1_500, notes_bytes: 10 })
  for (const version of ['1.1', '1.0']) {
    const socket = askWithoutReading(url, tenant.key, '/contacts/export', version)
    assert.equal(await endOf(socket), 'ECONNRESET', version)
  }
})

test('downloads read each page in the queue of lists, and filtered ones in the queue of expensive lists', async () => {
  let [running, most, allowed] = [0, 0, 0]
  const { get } = await over(never_ms, async (read) => {
    running += 1
    most = Math.max(most, running)
    await waitUntil('as many run as may', () => most >= allowed)
    await sleep(20)
    return read().finally(() => {
      running -= 1
    })
  })
  const tenant = await withContacts({ contacts: 2_500, notes_bytes: 10 })
  const whole = Array.from({ length: 4 }, () => [200, 2_502])
  for (const [query, at_once_max] of [
    ['', 3],
    ['?source=import', Math.min(3, Math.max(1, availableParallelism() - 1))],
  ] as const) {
    most = 0
    allowed = at_once_max
    const files = await Promise.all(whole.map(() => get(tenant, `/contacts/export${query}`)))
    assert.deepEqual(
      files.map(({ status, text }) => [status, text.split('\r\n').length]),
      whole,
    )
    assert.equal(most, at_once_max, query)
  }
})

async function* pieces() {
  for (const piece of ['a', 'b', 'c']) yield piece
}

/** A queue that rejects some of the calls. */
function queueThat(accepts: (calls: number) => boolean) {
  const queue = {
    calls: 0,
    retry_after_ms: 1,
    async inQueue<T>(read: () => Promise<T>): Promise<T> {
      queue.calls += 1
      if (!accepts(queue.calls)) throw overloaded('waited_too_long')
      return read()
    },
  }
  return queue
}

test('a page that the queue rejects is retried, the first one too, and the file is complete', async () => {
  const queue = queueThat((calls) => calls % 2 === 0)
  assert.equal(await text(await openStreamBody(pieces(), forever, queue)), 'abc')
  assert.equal(queue.calls, 8)
})

test('a download is rejected if the queue keeps rejecting its first page', async () => {
  const queue = queueThat(() => false)
  await assert.rejects(openStreamBody(pieces(), forever, queue), /overloaded/)
  assert.equal(queue.calls, 3)
})

test('a file ends with an error if the queue keeps rejecting a later page', async () => {
  const queue = queueThat((calls) => calls === 1)
  const body = await openStreamBody(pieces(), forever, queue)
  await assert.rejects(text(body), /overloaded/)
  assert.equal(queue.calls, 11)
})

test('a page that fails is not retried', async () => {
  for (const good of [[], ['a']]) {
    const queue = queueThat(() => true)
    const failing = async function* () {
      yield* good
      throw new Error('lost')
    }
    await assert.rejects(async () => text(await openStreamBody(failing(), forever, queue)), /lost/)
    assert.equal(queue.calls, good.length + 1)
  }
})

test('no page is read for a client that has disconnected, and its body ends with an error', async () => {
  let read = 0
  const counted = async function* () {
    for await (const piece of pieces()) {
      read += 1
      yield piece
    }
  }
  const gone = { ...forever, signal: AbortSignal.abort() }
  const body = await openStreamBody(
    counted(),
    gone,
    queueThat(() => true),
  )
  await assert.rejects(text(body), { name: 'AbortError' })
  assert.equal(read, 0)
})
