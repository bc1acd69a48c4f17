import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { advancing } from '../../server/clocks/advance.ts'
import * as clock from '../../server/kit/clock.ts'
import { sign } from '../../server/kit/crypto/signing.ts'
import { newId } from '../../server/kit/id.ts'
import { openLog } from '../../server/kit/log.ts'
import type { Sql } from '../../server/kit/postgres/sql.ts'
import { Engine } from '../../server/kit/work/engine.ts'
import { rowWork } from '../../server/kit/work/rows.ts'
import { due_deliveries } from '../../server/webhooks/claims.ts'
import { openServer, serve, type Tenant, testPool } from '../support/harness.ts'
import { recordStatements } from '../support/old-rows.ts'
import { receiver } from '../support/receivers.ts'
import { newContact, newImport, newIntegration, newWebhook, phoneNumber } from '../support/samples.ts'
import { inWorkspace, newPerson } from '../support/sessions.ts'
import { attemptTimes, retry_waits_s } from '../support/test-clocks.ts'
import { createWebhook, deliveriesOf } from '../support/webhook-calls.ts'

const server = await serve({ outbound_allow_hosts: ['127.0.0.1'] })
const hour_s = 3_600
const day_s = 24 * hour_s
const start = Date.parse('2027-03-01T09:00:00.000Z')
const after = (seconds: number): string => clock.iso(start + seconds * 1000)

async function newTestWorkspace(now = start): Promise<Tenant> {
  const tenant = await server.workspace()
  await tenant.addTestClock(now)
  return tenant
}

const clockOf = async ({ call }: Tenant) => (await call('GET', '/test_clock')).body.data

/** Advances the clock and does its work, until it is ready. */
async function advance(tenant: Tenant, by_seconds: number): Promise<void> {
  const { status, text } = await tenant.call('POST', '/test_clock/advance', { by_seconds })
  assert.equal(status, 202, text)
  await workUntilReady(tenant)
}

async function workUntilReady(tenant: Tenant): Promise<void> {
  do await tenant.work()
  while ((await clockOf(tenant)).status === 'advancing')
}

/** Creates an inbox that answers like this, and a contact whose event it gets. */
async function newDelivery({ call, work }: Tenant, inbox_answer: string): Promise<string> {
  const webhook = (await call('POST', '/webhooks', newWebhook({ url: 'inbox', inbox_answer }))).body.data
  await call('POST', '/contacts', newContact())
  await work()
  const [{ id }] = (await call('GET', `/webhooks/${webhook.id}/deliveries`)).body.data
  return `/webhooks/${webhook.id}/deliveries/${id}`
}

/** What is the same however the clock was advanced: no ids, durations and answers. */
async function deliveryTimes({ call }: Tenant, path: string) {
  const { status, attempt, created_at, due_at, attempts } = (await call('GET', path)).body.data
  const times = attempts.map(({ created_at, status }: Record<string, unknown>) => [created_at, status])
  return { status, attempt, created_at, due_at, times }
}

const schedule = attemptTimes(start)

test('a test clock shows its time, which stands still', async () => {
  const tenant = await newTestWorkspace()
  const expected = { now: after(0), status: 'ready', target: null, seed: 1, error: null }
  assert.deepEqual(await clockOf(tenant), expected)
  await tenant.work()
  assert.deepEqual(await clockOf(tenant), expected)
})

test('an advance takes either a time or a number of seconds', async () => {
  const { call } = await newTestWorkspace()
  const codeFor = async (body: object) => {
    const answer = await call('POST', '/test_clock/advance', body)
    return [answer.status, answer.body.error?.details.fields[0].path]
  }
  assert.deepEqual(await codeFor({}), [400, 'to'])
  assert.deepEqual(await codeFor({ to: after(60), by_seconds: 60 }), [400, 'to'])
  assert.deepEqual(await codeFor({ to: after(0) }), [400, 'to'])
  assert.deepEqual(await codeFor({ to: '9999-06-01T00:00:00Z' }), [400, 'to'])
  assert.deepEqual(await codeFor({ to: 'tomorrow' }), [400, 'to'])
  assert.deepEqual(await codeFor({ by_seconds: 0 }), [400, 'by_seconds'])
  assert.deepEqual(await codeFor({ by_seconds: 31_622_401 }), [400, 'by_seconds'])
  assert.deepEqual(await codeFor({ by_seconds: 31_622_400 }), [202, undefined])
})

test('while the clock is advancing, another advance is rejected', async () => {
  const tenant = await newTestWorkspace()
  const { call } = tenant
  const begun = (await call('POST', '/test_clock/advance', { to: after(60) })).body.data
  assert.deepEqual(begun, { now: after(0), status: 'advancing', target: after(60), seed: 1, error: null })
  const rejected = await call('POST', '/test_clock/advance', { by_seconds: 60 })
  assert.deepEqual([rejected.status, rejected.body.error.code], [409, 'INVALID_STATE'])
  assert.equal(rejected.body.error.details.status, 'advancing')
  await workUntilReady(tenant)
  assert.deepEqual(await clockOf(tenant), { now: after(60), status: 'ready', target: null, seed: 1, error: null })
  await advance(tenant, 1)
})

test('of two advances at the same time one is rejected', async () => {
  const tenant = await newTestWorkspace()
  const answers = await Promise.all(
    [60, 60].map((by_seconds) => tenant.call('POST', '/test_clock/advance', { by_seconds })),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 409])
  await workUntilReady(tenant)
  assert.equal((await clockOf(tenant)).now, after(60))
})

test('a live workspace has no test clock', async () => {
  const { call } = await server.workspace()
  for (const answer of [await call('GET', '/test_clock'), await call('POST', '/test_clock/advance', { by_seconds: 1 })])
    assert.deepEqual([answer.status, answer.body.error.code], [409, 'INVALID_STATE'])
})

test('one advance goes through the whole retry schedule of an endpoint that fails', async () => {
  const tenant = await newTestWorkspace()
  const path = await newDelivery(tenant, '500')
  assert.deepEqual((await deliveryTimes(tenant, path)).times, [[after(0), 500]])
  await advance(tenant, 5 * day_s)
  const { status, attempt, times, due_at } = await deliveryTimes(tenant, path)
  assert.deepEqual([status, attempt, due_at], ['failed', 10, null])
  assert.deepEqual(
    times,
    schedule.map((time) => [time, 500]),
  )
})

test('nine advances to the times of the retries give the same attempts as one', async () => {
  const tenant = await newTestWorkspace()
  const path = await newDelivery(tenant, '500')
  for (const wait of retry_waits_s) await advance(tenant, wait)
  const { status, times } = await deliveryTimes(tenant, path)
  assert.equal(status, 'failed')
  assert.deepEqual(
    times,
    schedule.map((time) => [time, 500]),
  )
})

test('advancing at once, by hours or by minutes gives the same rows', async () => {
  const rowsAfter = async (steps: number[]) => {
    const tenant = await newTestWorkspace()
    const path = await newDelivery(tenant, '500')
    for (const step of steps) await advance(tenant, step)
    const webhook = (await tenant.call('GET', path.replace(/\/deliveries.*/, ''))).body.data
    const { failing_since, updated_at, status } = webhook
    const events = (await tenant.call('GET', '/events?type=contact.*')).body.data
    const types = events.map(({ type, created_at }: Record<string, unknown>) => [type, created_at])
    return {
      delivery: await deliveryTimes(tenant, path),
      failing_since,
      updated_at,
      status,
      types,
      clock: await clockOf(tenant),
    }
  }
  const [at_once, by_hours, by_minutes] = await Promise.all([
    rowsAfter([3 * hour_s]),
    rowsAfter([hour_s, hour_s, hour_s]),
    rowsAfter(Array.from({ length: 12 }, () => 15 * 60)),
  ])
  assert.equal(at_once.delivery.times.length, 5)
  assert.deepEqual(by_hours, at_once)
  assert.deepEqual(by_minutes, at_once)
})

test('an advance that fails in the middle is continued to the target', async () => {
  const tenant = await newTestWorkspace()
  const path = await newDelivery(tenant, '500')
  await tenant.call('POST', '/test_clock/advance', { by_seconds: 5 * day_s })
  const { tools, hooks } = server.at('')
  const advances = advancing({
    kinds: [due_deliveries],
    drain: () => Promise.reject(new Error('a step that fails')),
    removeExpired: async () => {},
    log: openLog('silent'),
  })
  const engine = new Engine(rowWork(advances), { service: { pool: server.pool, tools, hooks }, log: openLog('silent') })
  engine.add(tenant.id)
  await engine.idle(tenant.id)
  await engine.stop()
  assert.deepEqual(await clockOf(tenant), {
    now: schedule[1],
    status: 'advancing',
    target: after(5 * day_s),
    seed: 1,
    error: null,
  })
  assert.equal((await deliveryTimes(tenant, path)).times.length, 1)
  await workUntilReady(tenant)
  assert.equal((await clockOf(tenant)).now, after(5 * day_s))
  const { times } = await deliveryTimes(tenant, path)
  assert.deepEqual(
    times.map(([time]: [string]) => time),
    schedule,
  )
})

test('an endpoint that fails for five days of the clock is disabled', async () => {
  const tenant = await newTestWorkspace()
  const path = await newDelivery(tenant, '500')
  const { call } = tenant
  await advance(tenant, 5 * day_s)
  await call('POST', '/contacts', newContact())
  await tenant.work()
  const webhook = (await call('GET', path.replace(/\/deliveries.*/, ''))).body.data
  assert.deepEqual([webhook.status, webhook.disabled_reason, webhook.failing_since], ['disabled', 'failing', after(0)])
})

test('a delivery is signed by wall time, also in a test workspace', async () => {
  const tenant = await newTestWorkspace()
  const path = await newDelivery(tenant, '200')
  const [received] = (await tenant.call('GET', path.replace(/\/deliveries.*/, '/inbox'))).body.data
  const signed_at = Number(received.headers['webhook-timestamp']) * 1000
  assert.ok(Math.abs(signed_at - clock.wall()) < hour_s * 1000)
  assert.ok(
    received.steps.every(({ is_ok }: { is_ok: boolean }) => is_ok),
    JSON.stringify(received.steps),
  )
  assert.equal(received.created_at, after(0))
})

test('an integration checks signatures by wall time, and stores the time of the clock', async () => {
  const { call, send } = await newTestWorkspace()
  const signing_secret = `whsec_${Buffer.alloc(32).toString('base64')}`
  const { id, url } = (await call('POST', '/integrations', newIntegration({ signing_secret }))).body.data
  const body = JSON.stringify({ phone: phoneNumber() })
  const sendAt = (now: number) => {
    const message = { id: newId(), timestamp: String(Math.floor(now / 1000)), body: Buffer.from(body) }
    const headers = { 'webhook-id': message.id, 'webhook-timestamp': message.timestamp }
    const signature = sign(signing_secret, message)
    return send(url, body, { 'content-type': 'application/json', ...headers, 'webhook-signature': signature })
  }
  assert.deepEqual([(await sendAt(start)).status, (await sendAt(clock.wall())).status], [401, 200])
  const { last_received_at } = (await call('GET', `/integrations/${id}`)).body.data
  assert.equal(last_received_at, after(0))
})

test('everything that is written has the time of the clock', async () => {
  const tenant = await newTestWorkspace()
  const { call, work } = tenant
  const contact = (await call('POST', '/contacts', newContact())).body.data
  assert.equal(contact.created_at, after(0))
  await advance(tenant, hour_s)
  const { updated_at } = (await call('PATCH', `/contacts/${contact.id}`, { first_name: 'Ada' })).body.data
  assert.equal(updated_at, after(hour_s))
  const { id } = (await call('POST', '/contacts/imports', newImport())).body.data
  await work()
  const imported = (await call('GET', `/contacts/imports/${id}`)).body.data
  assert.equal(imported.status, 'finished')
  for (const field of ['created_at', 'started_at', 'finished_at']) assert.equal(imported[field], after(hour_s), field)
  const [newest] = (await call('GET', '/events')).body.data
  assert.equal(newest.created_at, after(hour_s))
})

test('a clock in the past works like one in the future', async () => {
  const tenant = await newTestWorkspace(Date.parse('2001-01-01T00:00:00Z'))
  const path = await newDelivery(tenant, '500')
  await tenant.call('POST', '/contacts/imports', newImport())
  await advance(tenant, 10)
  const { times } = await deliveryTimes(tenant, path)
  assert.deepEqual(times, [
    ['2001-01-01T00:00:00.000Z', 500],
    ['2001-01-01T00:00:05.000Z', 500],
  ])
  assert.equal((await tenant.call('GET', '/contacts')).body.pagination.total, 2)
})

test('the overview counts contacts by days of the clock', async () => {
  const tenant = await newTestWorkspace()
  const { call } = tenant
  await call('POST', '/contacts', newContact())
  await advance(tenant, day_s)
  await call('POST', '/contacts', newContact())
  const { added_by_day, contacts } = (await call('GET', '/overview')).body.data
  assert.deepEqual(added_by_day.slice(-2), [
    { day: '2027-03-01', total: 1 },
    { day: '2027-03-02', total: 1 },
  ])
  assert.equal(contacts.new_this_week, 2)
  await advance(tenant, 7 * day_s)
  assert.equal((await call('GET', '/overview')).body.data.contacts.new_this_week, 0)
})

test('idempotency keys expire by the time of the clock', async () => {
  const tenant = await newTestWorkspace()
  const create = (body: object) => tenant.call('POST', '/contacts', body, { 'idempotency-key': 'one' })
  const body = newContact()
  const first = await create(body)
  await advance(tenant, day_s - 1)
  const replayed = await create(body)
  assert.deepEqual([replayed.text, replayed.headers.get('idempotent-replayed')], [first.text, 'true'])
  await advance(tenant, 1)
  assert.equal((await create(newContact())).status, 201)
})

test('in a test workspace idempotency keys expire after a day of wall time, too', async (context) => {
  const tenant = await newTestWorkspace()
  const create = (body: object) => tenant.call('POST', '/contacts', body, { 'idempotency-key': 'one' })
  const body = newContact()
  const first = await create(body)
  const began_at = clock.wall()
  const wall = context.mock.method(Date, 'now', () => began_at + clock.day_ms - 60_000)
  assert.equal((await create(body)).text, first.text)
  wall.mock.mockImplementation(() => began_at + clock.day_ms + 60_000)
  assert.equal((await create(newContact())).status, 201)
})

test('API keys and sessions go by wall time', async () => {
  const tenant = await newTestWorkspace()
  const { call } = tenant
  const created = (
    await call('POST', '/api_keys', {
      name: 'Short',
      scopes: ['contacts:read'],
      expires_at: clock.iso(clock.wall() + 3_600_000),
    })
  ).body.data
  assert.ok(Math.abs(clock.parse(created.created_at) - clock.wall()) < hour_s * 1000)
  const past = await call('POST', '/api_keys', {
    name: 'Past',
    scopes: ['contacts:read'],
    expires_at: clock.iso(clock.wall() - 1_000),
  })
  assert.equal(past.status, 400)
  const person = await newPerson(server, { [tenant.id]: 'owner' })
  const invitation = await person.go('POST', '/invitations', { role: 'member' }, inWorkspace(tenant))
  assert.ok(clock.parse(invitation.body.data.expires_at) < clock.wall() + 8 * clock.day_ms)
  await advance(tenant, 100 * day_s)
  const headers = { authorization: `Bearer ${created.key}` }
  assert.equal((await server.fetch('GET', '/api/v1/contacts', undefined, headers)).status, 200)
  const seen = await person.go('GET', '/api/v1/test_clock', undefined, inWorkspace(tenant))
  assert.equal(seen.body.data.now, after(100 * day_s))
  assert.equal((await person.go('GET', '/invitations', undefined, inWorkspace(tenant))).body.data.length, 1)
})

test('the end of an advance deletes what has expired', async () => {
  const tenant = await newTestWorkspace()
  const path = await newDelivery(tenant, '200')
  const events = async () => (await tenant.call('GET', '/events?type=contact.*')).body.data.length
  await advance(tenant, 30 * day_s)
  assert.equal(await events(), 1)
  await advance(tenant, 1)
  assert.equal(await events(), 0)
  assert.equal((await tenant.call('GET', path)).status, 404)
})

test('a request in a live workspace sends no statement for its time', async () => {
  const sent: Sql[] = []
  const recorded = await openServer(recordStatements(testPool(), sent))
  const asksForTime = async (tenant: Tenant) => {
    sent.length = 0
    assert.equal((await tenant.call('POST', '/contacts', newContact())).status, 201)
    return sent.some(({ text }) => text.includes('test_clocks'))
  }
  const [live, in_test] = [await recorded.workspace(), await recorded.workspace()]
  await in_test.addTestClock()
  assert.deepEqual([await asksForTime(live), await asksForTime(in_test)], [false, true])
  await recorded.close()
})

test('a recovery in a test workspace sends what was missed', async () => {
  const tenant = await newTestWorkspace()
  const { call, work } = tenant
  const { id } = (await call('POST', '/webhooks', newWebhook({ url: 'inbox' }))).body.data
  await call('PATCH', `/webhooks/${id}`, { status: 'disabled' })
  await advance(tenant, day_s)
  await call('POST', '/contacts', newContact())
  await advance(tenant, day_s)
  await call('POST', '/contacts', newContact())
  await call('PATCH', `/webhooks/${id}`, { status: 'active' })
  const range = { since: after(day_s), until: after(day_s + 1) }
  const recovery = (await call('POST', `/webhooks/${id}/recover`, range)).body.data
  await work()
  const { status, recovered } = (await call('GET', `/webhooks/${id}/recoveries/${recovery.id}`)).body.data
  assert.deepEqual([status, recovered], ['finished', 1])
  const [delivery] = (await call('GET', `/webhooks/${id}/deliveries`)).body.data
  assert.deepEqual([delivery.status, delivery.created_at], ['succeeded', after(day_s)])
})

test('requests to a live workspace go by wall time while another one has a test clock', async () => {
  const live = await server.workspace()
  const tenant = await newTestWorkspace(clock.wall())
  await advance(tenant, 5 * day_s)
  const { created_at } = (await live.call('POST', '/contacts', { phone_number: phoneNumber() })).body.data
  assert.ok(Math.abs(clock.parse(created_at) - clock.wall()) < hour_s * 1000)
})

test('a delivery that is resent or redacted during an attempt is sent again, although time stands still', async () => {
  for (const action of ['resend', 'redact'] as const) {
    const tenant = await newTestWorkspace()
    const answered = Promise.withResolvers<void>()
    const target = await receiver(async (response) => {
      await answered.promise
      response.writeHead(200).end()
    })
    const { id } = await createWebhook(tenant, target.url, { events: ['contact.created'] })
    const contact = (await tenant.call('POST', '/contacts', newContact())).body.data
    const running = tenant.work()
    while (target.received.length === 0) await sleep(10)
    const [delivery] = await deliveriesOf(tenant, id)
    if (action === 'resend') await tenant.call('POST', `/webhooks/${id}/deliveries/${delivery.id}/resend`)
    else await tenant.call('DELETE', `/contacts/${contact.id}`)
    answered.resolve()
    await running
    await tenant.work()
    assert.equal(target.received.length, 2, action)
    assert.equal((await deliveriesOf(tenant, id))[0].status, 'succeeded')
  }
})
