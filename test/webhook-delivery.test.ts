import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type http from 'node:http'
import { test } from 'node:test'
import zlib from 'node:zlib'
import { Webhook } from 'standardwebhooks'
import * as clock from '../server/kit/clock.ts'
import { openSeal } from '../server/kit/crypto/seal.ts'
import { sql } from '../server/kit/postgres/sql.ts'
import { seal_info } from '../server/product.ts'
import { serve, type Tenant } from './support/harness.ts'
import { type Received, type Receiver, receiver, respondWith } from './support/receivers.ts'
import { newAgent, newContact } from './support/samples.ts'
import { createWebhook, deliveriesOf, deliveryOf, recover, soon } from './support/webhook-calls.ts'

const secrets_key = randomBytes(32).toString('base64')
const { workspace, pool } = await serve({ webhook_allow_hosts: ['127.0.0.1'], secrets_key })
const minute_ms = 60_000
const hour_ms = 60 * minute_ms
const day_ms = 24 * hour_ms
const short_timeout_ms = 1_000

const statusOf = async (tenant: Tenant, id: string) => (await tenant.call('GET', `/webhooks/${id}`)).body.data

/** Creates a contact and sends what is due. */
async function createAndSend(tenant: Tenant, now?: number, timeout_ms?: number) {
  const contact = (await tenant.call('POST', '/contacts', newContact({ first_name: 'Ada' }))).body.data
  await tenant.work(now, timeout_ms)
  return contact
}

test('an event arrives with a signature that the public library accepts, and with the data of the event', async () => {
  const tenant = await workspace()
  const target = await receiver()
  const { id, secret } = await createWebhook(tenant, target.url)
  const contact = await createAndSend(tenant)
  const [first] = target.received as [Received]
  assert.equal(target.received.length, 1)
  const payload = new Webhook(secret).verify(first.body, first.headers)
  const [event] = (await tenant.call('GET', '/events')).body.data
  assert.deepEqual(payload, {
    id: event.id,
    type: 'contact.created',
    timestamp: event.created_at,
    workspace_id: tenant.id,
    data: event.data,
  })
  assert.equal(event.data.id, contact.id)
  assert.equal(first.headers['webhook-id'], event.id)
  assert.equal(first.headers['content-type'], 'application/json')
  const changed = first.body.replace('Ada', 'Adb')
  assert.throws(() => new Webhook(secret).verify(changed, first.headers))
  assert.throws(() => new Webhook(secret).verify(first.body, { ...first.headers, 'webhook-id': contact.id }))
  const delivery = await deliveryOf(tenant, id)
  assert.deepEqual([delivery.status, delivery.attempt, delivery.due_at], ['succeeded', 1, null])
  assert.equal(delivery.body, first.body)
})

test('an update is sent with the previous values', async () => {
  const tenant = await workspace()
  const target = await receiver()
  await createWebhook(tenant, target.url, { events: ['contact.updated'] })
  const contact = await createAndSend(tenant)
  await tenant.call('PATCH', `/contacts/${contact.id}`, { first_name: 'Grace' })
  await tenant.work()
  const [sent] = target.received.map(({ body }) => JSON.parse(body))
  assert.deepEqual(
    [sent.type, sent.data.first_name, sent.previous],
    ['contact.updated', 'Grace', { first_name: 'Ada' }],
  )
})

test('after a rotation both secrets sign for a day, then only the new one', async () => {
  const tenant = await workspace()
  const target = await receiver()
  const { id, secret: old } = await createWebhook(tenant, target.url)
  const rotated = await tenant.call('POST', `/webhooks/${id}/rotate_secret`)
  const fresh = rotated.body.data.secret
  assert.notEqual(fresh, old)
  await createAndSend(tenant)
  const [both] = target.received as [Received]
  for (const secret of [old, fresh]) assert.ok(new Webhook(secret).verify(both.body, both.headers))
  assert.equal(both.headers['webhook-signature']?.split(' ').length, 2)
  await createAndSend(tenant, clock.wall() + day_ms + minute_ms)
  const last = target.received.at(-1)
  assert.equal(last?.headers['webhook-signature']?.split(' ').length, 1)
  // The timestamp is a day ahead, so the library would reject it.
  const timestamp = new Date(Number(last?.headers['webhook-timestamp']) * 1000)
  const signature = new Webhook(fresh).sign(last?.headers['webhook-id'] ?? '', timestamp, last?.body ?? '')
  assert.equal(signature, last?.headers['webhook-signature'])
})

interface Expected {
  status: string
  error?: RegExp
  answer?: string
  answered?: number
  /** The wait until the next attempt, without jitter. */
  wait_ms?: number
  endpoint?: string
  /** Uses a short timeout. */
  is_slow?: boolean
}

const endless: Parameters<typeof receiver>[0] = (response) => {
  response.writeHead(200)
  const more = () => {
    while (response.write('x'.repeat(1024)));
    response.once('drain', more)
  }
  more()
}
const endless_headers: typeof endless = ({ socket }) => {
  socket?.write('HTTP/1.1 200 OK\r\n')
  const more = () => {
    while (socket?.writable && socket.write(`x: ${'y'.repeat(1024)}\r\n`));
    socket?.once('drain', more)
  }
  socket?.on('error', () => {})
  more()
}
function sendSlowly({ socket }: http.ServerResponse, first: string, drop: string): void {
  socket?.write(first)
  const timer = setInterval(() => socket?.write(drop), short_timeout_ms / 50)
  socket?.on('error', () => {}).once('close', () => clearInterval(timer))
}
const bomb = zlib.gzipSync(Buffer.alloc(50 * 1024 * 1024))

const receivers: [string, Parameters<typeof receiver>[0], Expected][] = [
  ['200', respondWith(200, {}, 'ok'), { status: 'succeeded', answered: 200, answer: 'ok' }],
  ['204', respondWith(204), { status: 'succeeded', answered: 204, answer: '' }],
  ['301', respondWith(301, { location: 'http://127.0.0.1:9/' }), { status: 'pending', answered: 301, wait_ms: 5_000 }],
  ['400', respondWith(400, {}, 'no'), { status: 'pending', answered: 400, answer: 'no', wait_ms: 5_000 }],
  ['410', respondWith(410), { status: 'failed', answered: 410, endpoint: 'disabled' }],
  [
    '429 with Retry-After',
    respondWith(429, { 'retry-after': '90' }),
    { status: 'pending', answered: 429, wait_ms: 90_000 },
  ],
  [
    '503 with Retry-After of a month',
    respondWith(503, { 'retry-after': '2592000' }),
    { status: 'pending', wait_ms: day_ms },
  ],
  [
    '503 with Retry-After of the last day target is',
    respondWith(503, { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' }),
    { status: 'pending', wait_ms: day_ms },
  ],
  [
    '429 with Retry-After of very many digits',
    respondWith(429, { 'retry-after': '9'.repeat(400) }),
    { status: 'pending', wait_ms: day_ms },
  ],
  ['429 with Retry-After of -5', respondWith(429, { 'retry-after': '-5' }), { status: 'pending', wait_ms: 5_000 }],
  [
    '429 with Retry-After of nonsense',
    respondWith(429, { 'retry-after': 'later' }),
    { status: 'pending', wait_ms: 5_000 },
  ],
  ['500 with Retry-After', respondWith(500, { 'retry-after': '90' }), { status: 'pending', wait_ms: 5_000 }],
  ['500', respondWith(500), { status: 'pending', answered: 500, wait_ms: 5_000 }],
  ['hang', () => {}, { status: 'pending', error: /no response within/, wait_ms: 5_000, is_slow: true }],
  [
    'hang in the body',
    (response) => response.writeHead(200).write('x'),
    { status: 'pending', error: /no response within/, is_slow: true },
  ],
  ['reset', (response) => response.socket?.resetAndDestroy(), { status: 'pending', error: /closed before/ }],
  ['headers without an end', endless_headers, { status: 'pending', error: /headers are too long/ }],
  ['no HTTP', (response) => response.socket?.end('220 mail\r\n'), { status: 'pending', error: /not HTTP/ }],
  [
    'a header now and then',
    (response) => sendSlowly(response, 'HTTP/1.1 200 OK\r\n', 'x: y\r\n'),
    { status: 'pending', error: /no response within/, is_slow: true },
  ],
  ['endless body', endless, { status: 'succeeded', answered: 200, answer: 'x'.repeat(1024) }],
  [
    'gzip bomb',
    (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    { status: 'succeeded', answered: 200, answer: bomb.subarray(0, 1024).toString().replaceAll('\u0000', '\ufffd') },
  ],
  [
    'NUL and half characters',
    (response) => response.end(Buffer.of(0, 0xff)),
    { status: 'succeeded', answer: '\ufffd\ufffd' },
  ],
  [
    'a kilobyte that ends within a character',
    respondWith(200, {}, `a${'\u{1f600}'.repeat(300)}`),
    { status: 'succeeded', answer: `a${'\u{1f600}'.repeat(255)}` },
  ],
]

for (const [name, answer, expected] of receivers) {
  test(`a receiver that answers ${name}: ${expected.status}`, async () => {
    const tenant = await workspace()
    const target = await receiver(answer)
    const { id } = await createWebhook(tenant, target.url)
    const now = soon()
    await createAndSend(tenant, now, expected.is_slow ? short_timeout_ms : undefined)
    assert.equal(target.received.length, 1)
    await assertResult(tenant, id, expected, now)
  })
}

test('a receiver with a self-signed certificate gets nothing', async () => {
  const tenant = await workspace()
  const target = await receiver(respondWith(200), true)
  const { id } = await createWebhook(tenant, target.url)
  const now = soon()
  await createAndSend(tenant, now)
  assert.equal(target.received.length, 0)
  await assertResult(tenant, id, { status: 'pending', error: /SELF_SIGNED/, wait_ms: 5_000 }, now)
})

test('a receiver without TLS, or that does not exist, gets nothing', async () => {
  const tenant = await workspace()
  const target = await receiver()
  const plain = await createWebhook(tenant, target.url.replace('http:', 'https:'))
  const none = await createWebhook(tenant, 'http://127.0.0.1:9/')
  const now = soon()
  await createAndSend(tenant, now)
  assert.equal(target.received.length, 0)
  await assertResult(tenant, plain.id, { status: 'pending', error: /could not be sent/ }, now)
  await assertResult(tenant, none.id, { status: 'pending', error: /refused/ }, now)
})

async function assertResult(tenant: Tenant, id: string, expected: Expected, now: number): Promise<void> {
  const { status, attempts, due_at } = await deliveryOf(tenant, id)
  const [attempt] = attempts
  assert.equal(status, expected.status)
  assert.equal(attempts.length, 1)
  assert.equal(attempt.created_at, clock.iso(now))
  if (expected.answered) assert.equal(attempt.status, expected.answered)
  if (expected.answer !== undefined) assert.equal(attempt.answer, expected.answer)
  if (expected.error) {
    assert.match(attempt.error, expected.error)
    assert.equal(attempt.status, null)
  }
  if (expected.status !== 'pending') assert.equal(due_at, null)
  if (expected.wait_ms) {
    const waited_ms = clock.parse(due_at) - now
    assert.ok(waited_ms >= expected.wait_ms && waited_ms <= expected.wait_ms * 1.1, `${waited_ms} ms`)
  }
  assert.equal((await statusOf(tenant, id)).status, expected.endpoint ?? 'active')
}

test('a delivery has ten attempts with growing waits and the same bytes, then it has failed', async () => {
  const tenant = await workspace()
  const target = await receiver(respondWith(500))
  const { id } = await createWebhook(tenant, target.url)
  let now = soon()
  await createAndSend(tenant, now)
  const waits_ms: number[] = []
  for (;;) {
    const { status, due_at } = await deliveryOf(tenant, id)
    if (status !== 'pending') break
    const next = clock.parse(due_at)
    waits_ms.push(next - now)
    await tenant.work(next - 1)
    assert.equal(target.received.length, waits_ms.length, 'not before it is due')
    now = next
    await tenant.work(now)
  }
  const expected_ms = [
    ...[5_000, 5 * minute_ms, 30 * minute_ms, 2 * hour_ms, 5 * hour_ms, 10 * hour_ms],
    ...[14 * hour_ms, 20 * hour_ms, day_ms],
  ]
  assert.equal(waits_ms.length, expected_ms.length)
  expected_ms.forEach((wait_ms, index) => {
    const waited_ms = waits_ms[index] ?? 0
    assert.ok(waited_ms >= wait_ms && waited_ms <= wait_ms * 1.1, `${waited_ms} ms instead of ${wait_ms}`)
  })
  assert.equal(target.received.length, 10)
  assert.equal(new Set(target.received.map(({ body }) => body)).size, 1)
  assert.equal(new Set(target.received.map(({ headers }) => headers['webhook-id'])).size, 1)
  const delivery = await deliveryOf(tenant, id)
  assert.deepEqual([delivery.status, delivery.attempt, delivery.attempts.length], ['failed', 10, 10])
})

test('failed deliveries are sent again by recover, or one by one by resend', async () => {
  const tenant = await workspace()
  let status = 410
  const target = await receiver((response) => response.writeHead(status).end())
  const { id } = await createWebhook(tenant, target.url)
  await createAndSend(tenant)
  await tenant.call('PATCH', `/webhooks/${id}`, { status: 'active' })
  const between = clock.iso(clock.wall())
  await createAndSend(tenant)
  const [second, first] = await deliveriesOf(tenant, id, '?status=failed')
  const disabled = await tenant.call('POST', `/webhooks/${id}/recover`, { since: between })
  assert.deepEqual([disabled.status, disabled.body.error.code], [409, 'INVALID_STATE'])
  await tenant.call('PATCH', `/webhooks/${id}`, { status: 'active' })
  status = 200
  assert.equal((await recover(tenant, id, { since: between })).recovered, 1)
  assert.equal(target.received.at(-1)?.headers['webhook-id'], second.id)
  const resent = await tenant.call('POST', `/webhooks/${id}/deliveries/${first.id}/resend`)
  assert.deepEqual([resent.body.data.status, resent.body.data.attempt], ['pending', 0])
  await tenant.work()
  assert.equal(target.received.at(-1)?.headers['webhook-id'], first.id)
  const done = await deliveriesOf(tenant, id, '?status=succeeded')
  assert.deepEqual(
    done.map((delivery: { id: string }) => delivery.id),
    [second.id, first.id],
  )
  assert.deepEqual(await deliveriesOf(tenant, id, '?status=failed'), [])
  assert.deepEqual(await deliveriesOf(tenant, id, '?status=pending'), [])
})

test('recover sends the events that a disabled webhook missed, and none twice', async () => {
  const tenant = await workspace()
  const target = await receiver()
  await tenant.call('POST', '/contacts', newContact())
  const { id } = await createWebhook(tenant, target.url)
  await createAndSend(tenant)
  await tenant.call('POST', `/webhooks/${id}/test`)
  await tenant.work()
  await tenant.call('PATCH', `/webhooks/${id}`, { status: 'disabled' })
  const missed = await tenant.call('POST', '/contacts', newContact())
  await tenant.call('POST', '/agents', newAgent())
  await tenant.call('PATCH', `/webhooks/${id}`, { status: 'active' })
  const range = { since: clock.iso(0) }
  assert.equal((await recover(tenant, id, range)).recovered, 1, 'only the event that it missed')
  assert.equal((await recover(tenant, id, range)).recovered, 0)
  const sent = target.received.map(({ body }) => JSON.parse(body))
  assert.deepEqual(
    sent.map(({ type }) => type),
    ['contact.created', 'webhook.test', 'contact.created'],
  )
  assert.equal(sent.at(-1).data.id, missed.body.data.id)
})

test('410 disables the webhook at once, fails its pending deliveries, and is recorded as an event', async () => {
  const tenant = await workspace()
  let status = 500
  const target = await receiver((response) => response.writeHead(status).end())
  const other = await receiver()
  const { id } = await createWebhook(tenant, target.url)
  await createWebhook(tenant, other.url, { events: ['webhook.*'] })
  await createAndSend(tenant)
  status = 410
  await createAndSend(tenant)
  await tenant.work()
  const webhook = await statusOf(tenant, id)
  assert.deepEqual([webhook.status, webhook.disabled_reason], ['disabled', 'gone'])
  assert.deepEqual(
    (await deliveriesOf(tenant, id)).map((delivery: { status: string }) => delivery.status),
    ['failed', 'failed'],
  )
  const [sent] = other.received.map(({ body }) => JSON.parse(body))
  const { url, inbox_answer: _, previous_secret_until: __, ...named } = webhook
  assert.deepEqual([sent.type, sent.data], ['webhook.disabled', { ...named, host: new URL(url).host }])
  await createAndSend(tenant)
  assert.equal(target.received.length, 2, 'nothing is sent to a disabled webhook')
  assert.equal((await deliveriesOf(tenant, id)).length, 2, 'and no delivery is stored for it')
})

test('a webhook is disabled after five days of failures, counted from the last success', async () => {
  const tenant = await workspace()
  let status = 500
  const target = await receiver((response) => response.writeHead(status).end())
  const { id } = await createWebhook(tenant, target.url)
  const began = soon()
  await createAndSend(tenant, began)
  assert.equal((await statusOf(tenant, id)).failing_since, clock.iso(began))
  status = 200
  await tenant.work(began + 4 * day_ms)
  assert.equal((await statusOf(tenant, id)).failing_since, null)
  status = 500
  for (let count = 0; count < 10; count += 1) await createAndSend(tenant, began + 4 * day_ms)
  await createAndSend(tenant, began + 9 * day_ms - 1)
  assert.equal((await statusOf(tenant, id)).status, 'active', 'just before five days')
  await createAndSend(tenant, began + 9 * day_ms)
  const webhook = await statusOf(tenant, id)
  assert.deepEqual([webhook.status, webhook.disabled_reason], ['disabled', 'failing'])
  const events = (await tenant.call('GET', '/events?type=webhook.disabled')).body.data
  assert.equal(events.length, 1)
  const active = (await tenant.call('PATCH', `/webhooks/${id}`, { status: 'active' })).body.data
  assert.deepEqual([active.status, active.disabled_reason, active.failing_since], ['active', null, null])
})

test('events show the host of a webhook, never its whole URL', async () => {
  const tenant = await workspace()
  const target = await receiver(respondWith(410))
  const { id: other } = await createWebhook(tenant, `${target.url}/secret-path?token=secret-query`)
  const inbox = await createWebhook(tenant, 'inbox')
  for (const id of [other, inbox.id]) await tenant.call('POST', `/webhooks/${id}/test`)
  await tenant.work()
  const { text, body } = await tenant.call('GET', '/events?type=webhook.*')
  assert.deepEqual(
    body.data.map(({ type, data }: { type: string; data: { host: string | null } }) => [type, data.host]),
    [
      ['webhook.disabled', new URL(target.url).host],
      ['webhook.test', null],
      ['webhook.test', new URL(target.url).host],
    ],
  )
  assert.ok(!text.includes('secret-') && !text.includes(inbox.url), text)
})

test('a webhook is not disabled before ten attempts have failed', async () => {
  const tenant = await workspace()
  let status = 500
  const target = await receiver((response) => response.writeHead(status).end())
  const { id } = await createWebhook(tenant, target.url)
  const began = soon()
  await createAndSend(tenant, began)
  const fail = async (attempts: number) => {
    const { due_at } = await deliveryOf(tenant, id)
    await tenant.work(Math.max(clock.parse(due_at), began + 6 * day_ms))
    const { attempt } = await deliveryOf(tenant, id)
    assert.equal(attempt, attempts)
    return statusOf(tenant, id)
  }
  for (let attempts = 2; attempts < 10; attempts += 1) {
    const webhook = await fail(attempts)
    assert.deepEqual([webhook.status, webhook.failing_since], ['active', clock.iso(began)])
  }
  const { disabled_reason } = await fail(10)
  assert.equal(disabled_reason, 'failing')
  // When it is active again, or after a success, failures are counted from zero.
  await tenant.call('PATCH', `/webhooks/${id}`, { status: 'active' })
  await createAndSend(tenant, began + 20 * day_ms)
  await createAndSend(tenant, began + 26 * day_ms)
  assert.equal((await statusOf(tenant, id)).status, 'active')
  status = 200
  await createAndSend(tenant, began + 27 * day_ms)
  status = 500
  for (let count = 0; count < 4; count += 1) await createAndSend(tenant, began + 28 * day_ms)
  await createAndSend(tenant, began + 34 * day_ms)
  assert.equal((await statusOf(tenant, id)).status, 'active')
})

test('a failure at a previous URL does not count for the new URL', async () => {
  const tenant = await workspace()
  const arrived = Promise.withResolvers<void>()
  const changed = Promise.withResolvers<void>()
  const old = await receiver(async (response) => {
    arrived.resolve()
    await changed.promise
    response.writeHead(410).end()
  })
  const { id } = await createWebhook(tenant, old.url)
  const work = createAndSend(tenant)
  await arrived.promise
  const now = await receiver(respondWith(500))
  await tenant.call('PATCH', `/webhooks/${id}`, { url: now.url })
  changed.resolve()
  await work
  const moved = await statusOf(tenant, id)
  assert.deepEqual([moved.status, moved.failing_since], ['active', null])
  await createAndSend(tenant, soon())
  assert.notEqual((await statusOf(tenant, id)).failing_since, null)
  const { failing_since } = (await tenant.call('PATCH', `/webhooks/${id}`, { url: old.url })).body.data
  assert.equal(failing_since, null, 'a new URL has not failed yet')
})

test('after a contact is deleted, pending deliveries have only its id, and answers are gone', async () => {
  const tenant = await workspace()
  const target = await receiver((response, request) => {
    response.writeHead(500)
    response.end(`echo Ada ${request.url}`)
  })
  const inbox = await createWebhook(tenant, 'inbox')
  const { id } = await createWebhook(tenant, target.url)
  const contact = await createAndSend(tenant)
  assert.match((await deliveryOf(tenant, id)).attempts[0].answer, /Ada/)
  await tenant.call('DELETE', `/contacts/${contact.id}`)
  const everything = await tenant.call('GET', `/webhooks/${id}/deliveries`)
  const [, first] = everything.body.data
  const delivery = await tenant.call('GET', `/webhooks/${id}/deliveries/${first.id}`)
  assert.ok(!delivery.text.includes('Ada'))
  assert.deepEqual(JSON.parse(delivery.body.data.body).data, { id: contact.id })
  assert.equal(delivery.body.data.attempts[0].answer, null)
  assert.deepEqual((await tenant.call('GET', `/webhooks/${inbox.id}/inbox`)).body.data, [])
  await tenant.work(clock.wall() + 10_000)
  const again = target.received.filter(({ headers }) => headers['webhook-id'] === first.id).at(-1)
  assert.deepEqual(JSON.parse(again?.body ?? '').data, { id: contact.id })
})

test('an answer that comes after the contact was deleted is not stored', async () => {
  const tenant = await workspace()
  const answered = Promise.withResolvers<void>()
  const arrived = Promise.withResolvers<void>()
  const target: Receiver = await receiver(async (response) => {
    arrived.resolve()
    await answered.promise
    response.writeHead(500).end(target.received.at(-1)?.body)
  })
  const { id } = await createWebhook(tenant, target.url, { events: ['contact.created'] })
  const contact = (await tenant.call('POST', '/contacts', newContact({ first_name: 'Ada' }))).body.data
  const work = tenant.work()
  await arrived.promise
  await tenant.call('DELETE', `/contacts/${contact.id}`)
  answered.resolve()
  await work
  const delivery = await deliveryOf(tenant, id)
  assert.ok(!JSON.stringify(delivery).includes('Ada'))
  assert.equal(delivery.status, 'pending')
})

test('a webhook gets events of its own workspace and of the types that it subscribes to', async () => {
  const [tenant, other] = await Promise.all([workspace(), workspace()])
  const [agents, all, theirs]: Receiver[] = await Promise.all([receiver(), receiver(), receiver()])
  await createWebhook(tenant, String(agents?.url), { events: ['agent.*'] })
  await createWebhook(tenant, String(all?.url), { events: ['*'] })
  await createWebhook(other, String(theirs?.url), { events: ['*'] })
  await tenant.call('POST', '/agents', { name: 'Reception' })
  await createAndSend(tenant)
  await other.work()
  const typesOf = (target: Receiver | undefined) => target?.received.map(({ body }) => JSON.parse(body).type)
  assert.deepEqual(typesOf(agents), ['agent.created'])
  assert.deepEqual(typesOf(all)?.sort(), ['agent.created', 'contact.created'])
  assert.deepEqual(typesOf(theirs), [])
})

test('an import sends an event for each contact', async () => {
  const tenant = await workspace()
  const target = await receiver()
  const { id } = await createWebhook(tenant, target.url, { events: ['contact.created'] })
  const rows = Array.from({ length: 30 }, () => ({ Phone: newContact().phone_number }))
  await tenant.call('POST', '/contacts/imports', { rows })
  await tenant.work()
  assert.equal(new Set(target.received.map(({ body }) => JSON.parse(body).data.phone_number)).size, 30)
  const listed = await tenant.call('GET', `/webhooks/${id}/deliveries?status=succeeded&limit=10`)
  assert.equal(listed.body.pagination.total, 30)
  const { next_cursor } = listed.body.pagination
  const next = await tenant.call('GET', `/webhooks/${id}/deliveries?status=succeeded&limit=30&cursor=${next_cursor}`)
  const ids = [...listed.body.data, ...next.body.data].map((delivery) => delivery.id)
  assert.deepEqual(ids, [...new Set(ids)].sort().reverse())
  assert.equal(ids.length, 30)
})

test('a test event is sent to one webhook only, which need not subscribe to it', async () => {
  const tenant = await workspace()
  const [target, other] = [await receiver(), await receiver()]
  const { id } = await createWebhook(tenant, target.url, { events: ['agent.*'] })
  await createWebhook(tenant, other.url, { events: ['*'] })
  const test_delivery = await tenant.call('POST', `/webhooks/${id}/test`)
  assert.deepEqual([test_delivery.body.data.type, test_delivery.body.data.status], ['webhook.test', 'pending'])
  await tenant.work()
  const [sent] = target.received.map(({ body }) => JSON.parse(body))
  assert.deepEqual([sent.id, sent.type, sent.data.id], [test_delivery.body.data.id, 'webhook.test', id])
  assert.deepEqual(other.received, [])
})

test('a secret encrypted with another key gives a clear error, until it is rotated', async () => {
  const other = await serve({ webhook_allow_hosts: ['127.0.0.1'], secrets_key: randomBytes(32).toString('base64') })
  const tenant = await other.workspace()
  const target = await receiver()
  const { id } = await createWebhook(tenant, target.url)
  await pool.run(
    sql`update webhooks set secret = ${openSeal(secrets_key, seal_info).close('x')} where workspace_id = ${tenant.id}`,
  )
  const now = soon()
  await createAndSend(tenant, now)
  await assertResult(tenant, id, { status: 'pending', error: /SECRETS_KEY/ }, now)
  const { secret } = (await tenant.call('POST', `/webhooks/${id}/rotate_secret`)).body.data
  await tenant.work(now + minute_ms)
  const [request] = target.received
  const timestamp = new Date(Number(request?.headers['webhook-timestamp']) * 1000)
  const signature = new Webhook(secret).sign(request?.headers['webhook-id'] ?? '', timestamp, request?.body ?? '')
  assert.equal(request?.headers['webhook-signature'], signature)
})
