import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import * as clock from '../../server/kit/clock.ts'
import { openSeal } from '../../server/kit/crypto/seal.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { seal_info } from '../../server/product.ts'
import { serve } from '../support/harness.ts'
import { type Received, type Receiver, receiver, respondWith } from '../support/receivers.ts'
import { newContact } from '../support/samples.ts'
import { assertResult, createAndSend, createWebhook, deliveryOf, soon } from '../support/webhook-calls.ts'

const secrets_key = randomBytes(32).toString('base64')
const { workspace, pool } = await serve({ outbound_allow_hosts: ['127.0.0.1'], secrets_key })
const minute_ms = 60_000
const hour_ms = 60 * minute_ms
const day_ms = 24 * hour_ms

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
    actor: { type: event.actor.type, id: event.actor.id },
    subject: { type: 'contact', id: contact.id },
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
  const other = await serve({ outbound_allow_hosts: ['127.0.0.1'], secrets_key: randomBytes(32).toString('base64') })
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
