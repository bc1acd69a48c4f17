import assert from 'node:assert/strict'
import net from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readEvents } from '../../sdk/src/streams.ts'
import { event_types as agent_events } from '../../server/agents/event-types.ts'
import { event_types as contact_events } from '../../server/contacts/event-types.ts'
import * as feed from '../../server/events/feed.ts'
import * as events from '../../server/events/store.ts'
import { inTransaction } from '../../server/kit/at.ts'
import { newId } from '../../server/kit/id.ts'
import type { Db, Pool } from '../../server/kit/postgres/pool.ts'
import { withServers } from '../faults/server.ts'
import { create } from '../support/contacts.ts'
import { type EventStream, listAll, openStream } from '../support/event-streams.ts'
import { openServer, type Server, serve, type Tenant, testPool } from '../support/harness.ts'
import { holdTransaction } from '../support/held-transaction.ts'
import { newAgent, newContact } from '../support/samples.ts'

const server = await serve()
const { workspace, pool } = server

const to = (tenant: Tenant, query = '', headers = {}, url = server.url, key = tenant.key): Promise<EventStream> =>
  openStream(`${url}/api/v1/events/stream${query}`, { authorization: `Bearer ${key}`, ...headers })

/** Each call assigns positions to some of the events. */
const totalOf = async ({ call }: Tenant): Promise<number> =>
  (await call('GET', '/events?limit=1')).body.pagination.total

const idsOf = (received: { id: string }[]): string[] => received.map(({ id }) => id)

test('without an id a stream sends new events, each as the list shows it', async () => {
  const tenant = await workspace()
  await create(tenant)
  const stream = await to(tenant)
  const { id } = await create(tenant, { notes: 'Ünï "quoted"\r\n\n\tdata: 😀\u2028' })
  await tenant.call('PATCH', `/contacts/${id}`, { first_name: 'Grace' })
  const received = await stream.waitFor(2)
  const { body } = await tenant.call('GET', `/events?resource_id=${id}`)
  assert.deepEqual(
    received,
    body.data.reverse().map((event: { id: string; type: string }) => ({ id: event.id, type: event.type, event })),
  )
  stream.close()
})

test('a stream continues after the id in the header, or else the one in the query', async () => {
  const tenant = await workspace()
  for (let count = 0; count < 3; count += 1) await create(tenant)
  const [first, second, third, fourth] = await listAll(tenant)
  const by_query = await to(tenant, `?after=${first}`)
  assert.deepEqual(idsOf(await by_query.waitFor(3)), [second, third, fourth])
  const by_header = await to(tenant, `?after=${first}`, { 'last-event-id': third })
  assert.deepEqual(idsOf(await by_header.waitFor(1)), [fourth])
  by_query.close()
  by_header.close()
})

test('a stream begins with the id that it continues after, so that a client that reconnects at once misses none', async () => {
  const tenant = await workspace()
  const first = async (query = {}, headers = {}) => {
    const { body } = await tenant.client.file('/events/stream', query, { headers })
    for await (const { id } of readEvents(body)) return id
  }
  for (let count = 0; count < 2; count += 1) await create(tenant)
  const [one, two, three] = await listAll(tenant)
  assert.equal(await first(), three)
  assert.equal(await first({ after: two }), two)
  assert.equal(await first({ after: two }, { 'last-event-id': one }), one)
})

test('an unknown or malformed id is rejected with the name of its field', async () => {
  const [tenant, other] = await Promise.all([workspace(), workspace()])
  const [theirs = ''] = await listAll(other)
  for (const id of [theirs, newId(), 'none']) {
    const by_header = await tenant.call('GET', '/events/stream', undefined, { 'last-event-id': id })
    assert.deepEqual([by_header.status, by_header.body.error.details.fields[0].path], [400, 'Last-Event-ID'])
    const by_query = await tenant.call('GET', `/events/stream?after=${id}`)
    assert.deepEqual([by_query.status, by_query.body.error.details.fields[0].path], [400, 'after'])
  }
})

test('the id of a deleted event is rejected, and a stream without it starts with new events', async () => {
  const tenant = await workspace()
  const [old = ''] = await listAll(tenant)
  await feed.removeOld(server.at(tenant.id), Date.now() + 1_000)
  const refused = await tenant.call('GET', '/events/stream', undefined, { 'last-event-id': old })
  assert.deepEqual([refused.status, refused.body.error.details.fields[0].path], [400, 'Last-Event-ID'])
  const stream = await to(tenant)
  const { id } = await create(tenant)
  assert.deepEqual(
    (await stream.waitFor(1)).map(({ event }) => event.resource_id),
    [id],
  )
  stream.close()
})

test('the headers of a stream forbid proxies to buffer, cache or compress a stream', async () => {
  const { call } = await workspace()
  const { headers } = await call('GET', '/events/stream', undefined, { 'accept-encoding': 'gzip, br, zstd' })
  const named = ['x-accel-buffering', 'cache-control', 'content-encoding', 'content-length']
  assert.deepEqual(
    named.map((name) => headers.get(name)),
    ['no', 'private, no-cache', null, null],
  )
})

test('a stream sends events of its own workspace and of the requested types only', async () => {
  const [tenant, other] = await Promise.all([workspace(), workspace()])
  const [first] = await listAll(tenant)
  const all = await to(tenant)
  const agents = await to(tenant, '?type=agent.*')
  const later = await to(tenant, `?type=agent.created&after=${first}`)
  await create(other)
  await create(tenant)
  await tenant.call('POST', '/agents', newAgent())
  await create(other)
  await create(tenant)
  await tenant.call('POST', '/agents', newAgent())
  await all.waitFor(4)
  assert.deepEqual(idsOf(all.received), (await listAll(tenant)).slice(1))
  const expected = all.received.filter(({ type }) => type === 'agent.created')
  assert.deepEqual(await agents.waitFor(2), expected)
  assert.deepEqual(await later.waitFor(2), expected)
  for (const stream of [all, agents, later]) stream.close()
})

test('an event that is committed late is sent late, and one that is rolled back never', async () => {
  const tenant = await workspace()
  const stream = await to(tenant)
  const [late, rolled_back] = [newId(), newId()]
  const record = (id: string) => (db: Db) =>
    events.record({ ...server.at(tenant.id), db }, agent_events.created, [{ data: { id } }])
  await using first = await holdTransaction(pool, record(late))
  await using second = await holdTransaction(pool, record(rolled_back))
  const { id } = await create(tenant)
  await stream.waitFor(1)
  await second.end(new Error('rolled back'))
  await first.end()
  await stream.waitFor(2)
  const last = await create(tenant)
  await stream.waitFor(3)
  assert.deepEqual(
    stream.received.map(({ event }) => event.resource_id),
    [id, late, last.id],
  )
  stream.close()
})

test('with writers and late commits on two servers, each stream gets every event once, in the order of the list', async () => {
  await withServers(2, {}, async ([one, other]) => {
    assert.ok(one && other)
    const tenant = await one.workspace()
    const servers = [one, other]
    const start = (await listAll(tenant))[0] ?? ''
    let is_over = false
    const steady = await to(tenant, `?after=${start}`, {}, other.url)
    const write = async ({ url, fetch, pool, at }: Server, index: number) => {
      const headers = { authorization: `Bearer ${tenant.key}` }
      for (let count = 0; count < 25; count += 1) {
        await using late = await holdTransaction(pool, (db) =>
          events.record({ ...at(tenant.id), db }, agent_events.created, [{ data: { id: newId() } }]),
        )
        const created = await fetch('POST', '/api/v1/contacts', newContact(), headers)
        const address = `/api/v1/contacts/${created.body.data.id}`
        // The other server changes the contact: its events must keep their order.
        const next = servers[(index + 1) % 2] ?? one
        await next.fetch('PATCH', address, { first_name: `n${count}` }, headers)
        await (count % 5 === 0 ? late.end(new Error('rolled back')) : late.end())
        if (count % 3 === 0) await fetch('DELETE', address, undefined, headers)
      }
      return url
    }
    const writing = Promise.all([...servers, ...servers].map(write)).then(() => {
      is_over = true
    })
    /** Disconnects again and again, and continues after the last id. */
    const reading = servers.map(async ({ url }, index) => {
      const ids: string[] = []
      for (let count = 1; ; count += 1) {
        const stream = await to(tenant, `?after=${start}`, { 'last-event-id': ids.at(-1) ?? start }, url)
        const is_last = is_over
        const all = is_last ? (await listAll(tenant)).length - 1 : ids.length + 7 * index + count
        const next = stream.waitFor(all - ids.length)
        await (is_last ? next : Promise.race([next.catch(() => {}), writing]))
        stream.close()
        ids.push(...idsOf(stream.received))
        if (is_last) return ids
      }
    })
    await writing
    const expected = (await listAll(tenant)).slice(1)
    assert.equal(expected.length, 4 * (25 * 2 + 20 + 9))
    assert.deepEqual(idsOf(await steady.waitFor(expected.length)), expected)
    for (const ids of await Promise.all(reading)) assert.deepEqual(ids, expected)
    const by_contact = Map.groupBy(steady.received, ({ event }) => event.resource_id)
    for (const events of by_contact.values()) {
      const types = events.map(({ type }) => type)
      const whole = ['contact.created', 'contact.updated', 'contact.deleted']
      assert.deepEqual(types, types[0] === 'agent.created' ? ['agent.created'] : whole.slice(0, types.length))
    }
    steady.close()
  })
})

test('a slow reader is sent no more than it reads, and gets all events in the end', async () => {
  let reads = 0
  let reads_in_flight = 0
  const own_pool = testPool()
  const counting: Pool = {
    ...own_pool,
    async many(statement) {
      if (!statement.text.includes('data::text')) return own_pool.many(statement)
      reads += 1
      reads_in_flight += 1
      return own_pool.many<never>(statement).finally(() => {
        reads_in_flight -= 1
      })
    },
  }
  const slow = await openServer(counting)
  const tenant = await slow.workspace()
  const [start] = await listAll(tenant)
  // Several times as many bytes as the buffers of a connection hold.
  const notes = 'x'.repeat(20_000)
  const many = Array.from({ length: 2_000 }, () => ({ data: { id: newId(), notes } }))
  for (let index = 0; index < many.length; index += 200) {
    const some = many.slice(index, index + 200)
    await inTransaction(server.at(tenant.id), (at) => events.recordMany(at, contact_events.created, some))
  }
  while ((await totalOf(tenant)) <= many.length);
  const { hostname, port } = new URL(slow.url)
  const socket = net.connect(Number(port), hostname).setEncoding('utf8').pause()
  const first = `GET /api/v1/events/stream?after=${start} HTTP/1.1`
  socket.write(`${first}\r\nHost: parley.test\r\nAuthorization: Bearer ${tenant.key}\r\n\r\n`)
  let before: number
  do {
    before = reads
    await sleep(300)
  } while (reads === 0 || reads > before || reads_in_flight > 0)
  const half_of_all = many.length / feed.next_max / 2
  assert.ok(reads < half_of_all, `${reads} reads while the client received nothing`)
  assert.equal((await tenant.call('GET', '/contacts?limit=1')).status, 200, 'other requests are served')
  const received = new Set<string>()
  let rest = ''
  for await (const text of socket) {
    rest += text
    for (const [, id = ''] of rest.matchAll(/"resource_id":"([^"]+)"/g)) received.add(id)
    rest = rest.slice(-100)
    if (received.size === many.length) break
  }
  assert.deepEqual(
    [...received],
    many.map(({ data }) => data.id),
  )
  await slow.close()
})
