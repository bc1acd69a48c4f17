import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as clock from '../../server/kit/clock.ts'
import { serve } from '../support/harness.ts'
import { receiver, respondWith } from '../support/receivers.ts'
import { newAgent, newContact } from '../support/samples.ts'
import {
  createAndSend,
  createWebhook,
  deliveriesOf,
  deliveryOf,
  recover,
  soon,
  webhookOf,
} from '../support/webhook-calls.ts'

const { workspace } = await serve({ outbound_allow_hosts: ['127.0.0.1'] })
const minute_ms = 60_000
const hour_ms = 60 * minute_ms
const day_ms = 24 * hour_ms

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
    5_000,
    5 * minute_ms,
    30 * minute_ms,
    2 * hour_ms,
    5 * hour_ms,
    10 * hour_ms,
    14 * hour_ms,
    20 * hour_ms,
    day_ms,
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
  const webhook = await webhookOf(tenant, id)
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
  assert.equal((await webhookOf(tenant, id)).failing_since, clock.iso(began))
  status = 200
  await tenant.work(began + 4 * day_ms)
  assert.equal((await webhookOf(tenant, id)).failing_since, null)
  status = 500
  for (let count = 0; count < 10; count += 1) await createAndSend(tenant, began + 4 * day_ms)
  await createAndSend(tenant, began + 9 * day_ms - 1)
  assert.equal((await webhookOf(tenant, id)).status, 'active', 'just before five days')
  await createAndSend(tenant, began + 9 * day_ms)
  const webhook = await webhookOf(tenant, id)
  assert.deepEqual([webhook.status, webhook.disabled_reason], ['disabled', 'failing'])
  const events = (await tenant.call('GET', '/events?type=webhook.disabled')).body.data
  assert.equal(events.length, 1)
  const active = (await tenant.call('PATCH', `/webhooks/${id}`, { status: 'active' })).body.data
  assert.deepEqual([active.status, active.disabled_reason, active.failing_since], ['active', null, null])
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
    return webhookOf(tenant, id)
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
  assert.equal((await webhookOf(tenant, id)).status, 'active')
  status = 200
  await createAndSend(tenant, began + 27 * day_ms)
  status = 500
  for (let count = 0; count < 4; count += 1) await createAndSend(tenant, began + 28 * day_ms)
  await createAndSend(tenant, began + 34 * day_ms)
  assert.equal((await webhookOf(tenant, id)).status, 'active')
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
  const moved = await webhookOf(tenant, id)
  assert.deepEqual([moved.status, moved.failing_since], ['active', null])
  await createAndSend(tenant, soon())
  assert.notEqual((await webhookOf(tenant, id)).failing_since, null)
  const { failing_since } = (await tenant.call('PATCH', `/webhooks/${id}`, { url: old.url })).body.data
  assert.equal(failing_since, null, 'a new URL has not failed yet')
})
