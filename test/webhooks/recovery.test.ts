import assert from 'node:assert/strict'
import { test } from 'node:test'
import { event_types } from '../../server/contacts/event-types.ts'
import * as events from '../../server/events/store.ts'
import { inTransaction } from '../../server/kit/at.ts'
import * as clock from '../../server/kit/clock.ts'
import { newId } from '../../server/kit/id.ts'
import { openLog } from '../../server/kit/log.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { Engine } from '../../server/kit/work/engine.ts'
import { type RowWork, rowWork } from '../../server/kit/work/rows.ts'
import { work } from '../../server/webhooks/recoveries.ts'
import { removeOld } from '../../server/webhooks/retention.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { receiver } from '../support/receivers.ts'
import { newContact } from '../support/samples.ts'
import { createWebhook, deliveriesOf, recover } from '../support/webhook-calls.ts'

const { workspace, pool, at, fetch } = await serve({ outbound_allow_hosts: ['127.0.0.1'] })

const hour_ms = 60 * 60 * 1000
const day_ms = 24 * hour_ms
const batch_rows = 2_000
const everything = { since: clock.iso(0) }

const recordEvents = (tenant: Tenant, count: number, now = clock.wall()) =>
  inTransaction(at(tenant.id, now), (at) =>
    events.recordMany(
      at,
      event_types.created,
      Array.from({ length: count }, () => ({ data: { id: newId() } })),
    ),
  )

const setStatus = ({ call }: Tenant, id: string, status: string) => call('PATCH', `/webhooks/${id}`, { status })

const totalOf = async ({ call }: Tenant, id: string, status = ''): Promise<number> =>
  (await call('GET', `/webhooks/${id}/deliveries?limit=1${status && `&status=${status}`}`)).body.pagination.total

/** A webhook with as many failed deliveries as events that it missed. Its endpoint answers 200 from now on. */
async function webhookWithGaps(tenant: Tenant, count: number) {
  let status = 410
  const target = await receiver((response) => response.writeHead(status).end())
  const { id } = await createWebhook(tenant, target.url)
  await recordEvents(tenant, count)
  while ((await totalOf(tenant, id, 'failed')) < count) await tenant.work()
  await recordEvents(tenant, count)
  await setStatus(tenant, id, 'active')
  status = 200
  target.received.length = 0
  return { id, target }
}

function assertEachOnce(received: { headers: Record<string, unknown> }[], count: number): void {
  assert.equal(received.length, count)
  assert.equal(new Set(received.map(({ headers }) => headers['webhook-id'])).size, count)
}

test('a recovery sends thousands of failed and missed events, each once', async () => {
  const tenant = await workspace()
  const many = batch_rows + 100
  const { id, target } = await webhookWithGaps(tenant, many)
  const { call } = tenant
  const started = await call('POST', `/webhooks/${id}/recover`, everything)
  assert.equal(started.status, 201)
  const { data } = started.body
  assert.deepEqual(data, {
    id: data.id,
    status: 'running',
    since: clock.iso(0),
    until: data.created_at,
    recovered: 0,
    created_at: data.created_at,
    finished_at: null,
  })
  const location = String(started.headers.get('location'))
  assert.equal(location, `/api/v1/webhooks/${id}/recoveries/${data.id}`)
  const authorization = `Bearer ${tenant.key}`
  const running = await fetch('GET', location, undefined, { authorization })
  assert.deepEqual(running.body.data, data)
  await tenant.work()
  const finished = await fetch('GET', location, undefined, { authorization })
  const { finished_at } = finished.body.data
  assert.deepEqual(finished.body.data, { ...data, status: 'finished', recovered: 2 * many, finished_at })
  assert.ok(clock.parse(finished_at) >= clock.parse(data.created_at))
  assert.notEqual(finished.headers.get('etag'), running.headers.get('etag'))
  assertEachOnce(target.received, 2 * many)
  const totals = await Promise.all(['', 'succeeded', 'failed', 'pending'].map((status) => totalOf(tenant, id, status)))
  assert.deepEqual(totals, [2 * many, 2 * many, 0, 0])
  assert.equal((await recover(tenant, id, everything)).recovered, 0)
})

test('another process continues a recovery whose lease was lost, and nothing is sent or counted twice', async () => {
  const tenant = await workspace()
  const many = batch_rows / 2 + 100
  const { id, target } = await webhookWithGaps(tenant, many)
  const { body } = await tenant.call('POST', `/webhooks/${id}/recover`, everything)
  const address = `/webhooks/${id}/recoveries/${body.data.id}`
  const recoveredSoFar = async () => (await tenant.call('GET', address)).body.data.recovered
  const of_recovery = sql`workspace_id = ${tenant.id} and id = ${body.data.id}`
  let after_first = 0
  // After its first batch this process stalls until its lease has expired and another one has done the rest.
  const stalling: RowWork = {
    ...work,
    begin: async (at, lease, context) => {
      const runBatch = await work.begin(at, lease, context)
      return async () => {
        await runBatch()
        after_first = await recoveredSoFar()
        await pool.run(sql`update webhook_recoveries set lease_until = ${clock.iso(0)} where ${of_recovery}`)
        await tenant.work()
        // So that a batch that runs twice would send them again.
        await pool.run(sql`update webhook_deliveries set status = 'failed' where workspace_id = ${tenant.id}`)
        return runBatch()
      }
    },
  }
  const { db: _, ...service } = at(tenant.id)
  const engine = new Engine(rowWork(stalling), { service: { ...service, pool }, log: openLog('silent') })
  engine.add(tenant.id)
  await engine.idle(tenant.id)
  await engine.stop()
  assert.ok(after_first > 0 && after_first < 2 * many, `the first batch recovered ${after_first}`)
  await tenant.work()
  assert.equal(await recoveredSoFar(), 2 * many)
  assertEachOnce(target.received, 2 * many)
  assert.deepEqual(await Promise.all([totalOf(tenant, id), totalOf(tenant, id, 'failed')]), [2 * many, 2 * many])
})

test('since and until select events by their time, whatever the time of the server is', async () => {
  const tenant = await workspace()
  const { id } = await createWebhook(tenant, 'inbox')
  await setStatus(tenant, id, 'disabled')
  const now = clock.wall()
  for (const days of [1, 2, 2, 3]) await recordEvents(tenant, 1, now + days * day_ms)
  await setStatus(tenant, id, 'active')
  const between = (from: number, to: number) => ({
    since: clock.iso(now + from * day_ms),
    until: clock.iso(now + to * day_ms),
  })
  assert.equal((await recover(tenant, id, { since: clock.iso(now) })).recovered, 0, 'by default until now')
  assert.equal((await recover(tenant, id, between(2.5, 2.9))).recovered, 0)
  assert.equal((await recover(tenant, id, between(1, 1))).recovered, 1, 'both limits included')
  assert.equal((await recover(tenant, id, between(1.9, 2.1))).recovered, 2)
  assert.equal((await recover(tenant, id, between(0, 4))).recovered, 1, 'only the rest')
})

test('until before since is rejected', async () => {
  const { call, ...tenant } = await workspace()
  const { id } = await createWebhook({ call, ...tenant }, 'inbox')
  const since = clock.iso(clock.wall())
  const range = { since, until: clock.iso(clock.parse(since) - 1) }
  const rejected = await call('POST', `/webhooks/${id}/recover`, range)
  assert.equal(rejected.status, 400)
  assert.deepEqual(rejected.body.error.details.fields, [
    { path: 'until', code: 'minimum', message: 'until must not be before since.' },
  ])
  assert.equal((await call('POST', `/webhooks/${id}/recover`, { since, until: since })).status, 201)
})

test('a webhook has one running recovery, which the error names', async () => {
  const tenant = await workspace()
  const { id } = await createWebhook(tenant, 'inbox')
  const other = await createWebhook(tenant, 'inbox')
  const start = () => tenant.call('POST', `/webhooks/${id}/recover`, everything)
  const answers = await Promise.all(Array.from({ length: 5 }, start))
  const [started, ...rest] = answers.toSorted((one, two) => one.status - two.status)
  assert.equal(started?.status, 201)
  for (const { status, body } of rest) {
    assert.deepEqual([status, body.error.code], [409, 'INVALID_STATE'])
    assert.equal(body.error.details.recovery_id, started?.body.data.id)
    assert.ok(body.error.message.includes(started?.body.data.id))
  }
  assert.equal((await tenant.call('POST', `/webhooks/${other.id}/recover`, everything)).status, 201)
  const elsewhere = await tenant.call('GET', `/webhooks/${other.id}/recoveries/${started?.body.data.id}`)
  assert.equal(elsewhere.status, 404, 'it belongs to one webhook')
  await tenant.work()
  assert.equal((await start()).status, 201)
})

test('a recovery ends when its webhook is disabled, and is deleted with it', async () => {
  const tenant = await workspace()
  const { call, work } = tenant
  const { id } = await createWebhook(tenant, 'inbox')
  await setStatus(tenant, id, 'disabled')
  await call('POST', '/contacts', newContact())
  await setStatus(tenant, id, 'active')
  const { body } = await call('POST', `/webhooks/${id}/recover`, everything)
  const address = `/webhooks/${id}/recoveries/${body.data.id}`
  await setStatus(tenant, id, 'disabled')
  await work()
  const { status, recovered } = (await call('GET', address)).body.data
  assert.deepEqual([status, recovered], ['finished', 0])
  assert.deepEqual(await deliveriesOf(tenant, id), [])

  await setStatus(tenant, id, 'active')
  const second = await call('POST', `/webhooks/${id}/recover`, everything)
  await call('DELETE', `/webhooks/${id}`)
  await work()
  assert.equal((await call('GET', address)).status, 404)
  assert.equal((await call('GET', `/webhooks/${id}/recoveries/${second.body.data.id}`)).status, 404)
  const left = await pool.many(sql`select id from webhook_recoveries where workspace_id = ${tenant.id}`)
  assert.deepEqual(left, [])
})

test('old recoveries are removed with the events, but none that is running', async () => {
  const tenant = await workspace()
  const { id } = await createWebhook(tenant, 'inbox')
  const finished = await recover(tenant, id, everything)
  const { body } = await tenant.call('POST', `/webhooks/${id}/recover`, everything)
  const statuses = async () =>
    Promise.all(
      [finished.id, body.data.id].map(
        async (one) => (await tenant.call('GET', `/webhooks/${id}/recoveries/${one}`)).status,
      ),
    )
  await removeOld(at(tenant.id), clock.parse(finished.created_at))
  assert.deepEqual(await statuses(), [200, 200])
  await removeOld(at(tenant.id), clock.wall() + hour_ms)
  assert.deepEqual(await statuses(), [404, 200])
})
