import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import * as clock from '../../server/kit/clock.ts'
import { openLog } from '../../server/kit/log.ts'
import { type Outbound, openOutbound } from '../../server/kit/outbound/outbound.ts'
import { OutboundError } from '../../server/kit/outbound/request.ts'
import type { Db, Pool } from '../../server/kit/postgres/pool.ts'
import { type Sql, sql } from '../../server/kit/postgres/sql.ts'
import { Engine } from '../../server/kit/work/engine.ts'
import { lease_ms } from '../../server/kit/work/lease.ts'
import * as claims from '../../server/webhooks/claims.ts'
import { takeLease } from '../../server/webhooks/leases.ts'
import { sending } from '../../server/webhooks/sending.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { receiver } from '../support/receivers.ts'
import { newContact } from '../support/samples.ts'
import { createWebhook, deliveriesOf, deliveryOf, soon } from '../support/webhook-calls.ts'

const { workspace, pool, at } = await serve({ outbound_allow_hosts: ['127.0.0.1'] })
const { tools, hooks } = at('')
const deliveries = sending({ seal: tools.seal, ownAddress: () => '' })
const check_every_ms = 5

/** Of endpoints of which nothing is known. */
const unlimited: claims.DeliveryClaim = {
  slots: 200,
  slow_slots: 100,
  by_key: new Map(),
  claimed: new Set(),
  last: new Map(),
  skips_to_last: false,
}

/** An engine to which no poll adds workspaces. */
function startEngine(own_pool = pool, outbound = openOutbound({ allowed: ['127.0.0.1'] })) {
  const service = { pool: own_pool, tools: { ...tools, outbound }, hooks }
  const engine = new Engine(deliveries, { service, log: openLog('silent') })
  const end = async () => {
    await outbound.close()
    await engine.stop()
  }
  return Object.assign(engine, { [Symbol.asyncDispose]: end })
}

/** The pool, with `instead` called for the statements that match. */
function intercept(kind: RegExp, instead: (statement: Sql, go: () => Promise<unknown>) => Promise<unknown>): Pool {
  const send = (method: 'many' | 'run') => (statement: Sql) => {
    const go = (): Promise<unknown> => pool[method](statement)
    return kind.test(statement.text) ? instead(statement, go) : go()
  }
  return { ...pool, many: send('many') as Db['many'], run: send('run') as Db['run'] }
}

const recording = /^update webhook_deliveries as delivery\s+set status/
const claiming = /^with endpoint as/

const createMany = (tenant: Tenant, count: number) =>
  Promise.all(Array.from({ length: count }, () => tenant.call('POST', '/contacts', newContact())))

const statusesOf = async (tenant: Tenant, id: string): Promise<string[]> =>
  (await deliveriesOf(tenant, id, '?limit=100')).map(({ status }: { status: string }) => status)

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(check_every_ms)
}

test("a slow endpoint doesn't delay the deliveries of others", async () => {
  const tenant = await workspace()
  const [slow, fast] = [await receiver(() => {}), await receiver()]
  await createWebhook(tenant, slow.url)
  await createWebhook(tenant, slow.url)
  await createWebhook(tenant, fast.url)
  await createMany(tenant, 40)
  await using engine = startEngine()
  engine.add(tenant.id)
  await until(() => fast.received.length === 40)
  assert.ok(slow.received.length <= 20, 'at most ten of each')
})

test("many slow endpoints in other workspaces don't delay a workspace", async () => {
  const [slow, fast] = [await receiver(() => {}), await receiver()]
  const others = [await workspace(), await workspace()]
  const tenant = await workspace()
  for (const other of others) {
    for (let count = 0; count < 20; count += 1) await createWebhook(other, slow.url)
    await createMany(other, 12)
  }
  const { id } = await createWebhook(tenant, fast.url)
  await using engine = startEngine()
  using _poll = setInterval(() => others.map(({ id }) => engine.add(id, { is_polled: true })), 100)
  // An endpoint gets two requests at first. When these are found to be slow, all of them share the slots for slow ones.
  for (const [in_flight, sent] of [
    [80, 30],
    [100, 60],
  ] as const) {
    await until(() => slow.received.length >= in_flight)
    await createMany(tenant, 30)
    engine.add(tenant.id)
    await until(() => fast.received.length === sent)
  }
  assert.ok(slow.received.length < 400, `${slow.received.length} of 480 were sent`)
  await engine.idle(tenant.id)
  assert.deepEqual(new Set(await statusesOf(tenant, id)), new Set(['succeeded']))
})

test('deliveries that are committed late are sent, however many, while an endpoint hangs', async () => {
  const tenant = await workspace()
  const [hanging, fast] = [await receiver(() => {}), await receiver()]
  await createWebhook(tenant, hanging.url)
  const { id } = await createWebhook(tenant, fast.url)
  await createMany(tenant, 31)
  const later = (due: string, count: number) =>
    pool.run(
      sql`update webhook_deliveries set due_at = ${due} where workspace_id = ${tenant.id} and webhook_id = ${id} and id in (
        select id from webhook_deliveries where workspace_id = ${tenant.id} and webhook_id = ${id} and status = 'pending'
        limit ${count})`,
    )
  await later(clock.iso(clock.wall() + 1_000_000), 30)
  let is_busy = false
  // Another send comes in while the first claim is running, and finds no capacity.
  const busy = intercept(claiming, async (_statement, go) => {
    const found = await go()
    if (is_busy) engine.add(tenant.id)
    is_busy = false
    return found
  })
  await using engine = startEngine(busy)
  engine.add(tenant.id)
  while (!(await statusesOf(tenant, id)).includes('succeeded')) await sleep(check_every_ms)
  await later(clock.iso(clock.wall() - 1_000_000), 30)
  is_busy = true
  engine.add(tenant.id, { is_polled: true })
  await until(() => fast.received.length === 31)
  assert.ok(hanging.received.length <= 10, 'the others did not wait for it')
})

test("while results can't be recorded, no more than the limit is sent", async () => {
  const tenant = await workspace()
  const target = await receiver()
  for (let count = 0; count < 10; count += 1) await createWebhook(tenant, target.url)
  await createMany(tenant, 50)
  const full = intercept(recording, () => Promise.reject(new Error('the disk is full')))
  await using engine = startEngine(full)
  engine.add(tenant.id)
  await until(() => target.received.length >= 200)
  await sleep(200)
  engine.add(tenant.id, { is_polled: true })
  await sleep(200)
  assert.ok(target.received.length <= 400, `${target.received.length} of 500 were sent`)
})

test('a result that was lost in a deadlock is recorded again, not sent again', async () => {
  const tenant = await workspace()
  const target = await receiver()
  const { id } = await createWebhook(tenant, target.url)
  await createMany(tenant, 1)
  let count = 0
  const unlucky = intercept(recording, (_statement, go) => {
    count += 1
    return count === 1 ? Promise.reject(Object.assign(new Error('deadlock detected'), { code: '40P01' })) : go()
  })
  await using engine = startEngine(unlucky)
  engine.add(tenant.id)
  await engine.idle(tenant.id)
  assert.deepEqual([count, target.received.length, await statusesOf(tenant, id)], [2, 1, ['succeeded']])
})

test('a claim that takes longer than the lease sends nothing', async () => {
  const tenant = await workspace()
  const target = await receiver()
  await createWebhook(tenant, target.url)
  await createMany(tenant, 1)
  let passed_ms = 0
  const slow = intercept(claiming, async (_statement, go) => {
    const rows = await go()
    passed_ms = lease_ms
    return rows
  })
  await using engine = startEngine({ ...slow, time: () => pool.time() + passed_ms })
  engine.add(tenant.id)
  await engine.idle(tenant.id)
  assert.equal(target.received.length, 0)
})

test("pending deliveries of a webhook that is active again don't fail", async () => {
  const tenant = await workspace()
  const { id } = await createWebhook(tenant, 'http://127.0.0.1:9/')
  await createMany(tenant, 1)
  await tenant.call('PATCH', `/webhooks/${id}`, { status: 'disabled' })
  const late = intercept(/^select id from webhooks/, async (_statement, go) => {
    const disabled = await go()
    await tenant.call('PATCH', `/webhooks/${id}`, { status: 'active' })
    return disabled
  })
  await claims.failPending({ ...at(tenant.id), db: late }, [])
  assert.deepEqual(await statusesOf(tenant, id), ['pending'])
})

test('a stop leaves no lease, even while claiming', async () => {
  const tenant = await workspace()
  const { id } = await createWebhook(tenant, 'http://127.0.0.1:9/')
  await createMany(tenant, 1)
  await tenant.call('PATCH', `/webhooks/${id}`, { status: 'disabled' })
  await using engine = startEngine()
  engine.add(tenant.id, { is_polled: true })
  await engine.stop()
  assert.ok(await takeLease(at(tenant.id), { token: randomUUID() }))
})

test('in a test workspace the lease ends when nothing is due, so that any process can go on', async () => {
  const tenant = await workspace()
  await createWebhook(tenant, 'http://127.0.0.1:9/')
  await createMany(tenant, 1)
  const atOf = async (id: string) => ({ ...at(id), is_test: true })
  const engine = new Engine(deliveries, { service: { pool, tools, hooks }, log: openLog('silent'), atOf })
  engine.add(tenant.id)
  await engine.idle(tenant.id)
  const lease = await takeLease(at(tenant.id), { token: randomUUID() })
  await engine.stop()
  assert.ok(lease)
})

test('an attempt may take 15 seconds, and shows its URL', async () => {
  const tenant = await workspace()
  const { id, url } = await createWebhook(tenant, 'http://127.0.0.1:9/first')
  await tenant.call('POST', '/contacts', newContact())
  const seen: number[] = []
  const send: Outbound['send'] = async (_url, { timeout_ms }) => {
    seen.push(timeout_ms)
    throw new OutboundError('not sent')
  }
  await using engine = startEngine(pool, { ...tools.outbound, send, close: async () => {} })
  engine.add(tenant.id)
  await engine.idle(tenant.id)
  assert.deepEqual(seen, [15_000])
  await tenant.call('PATCH', `/webhooks/${id}`, { url: 'http://127.0.0.1:9/second' })
  const { attempts } = await deliveryOf(tenant, id)
  assert.equal(attempts[0].url, url)
})

test('an endpoint gets at most ten requests at once, and one at a time when it fails', async () => {
  const tenant = await workspace()
  const [slow, failing, other] = await Promise.all([
    createWebhook(tenant, 'http://127.0.0.1:9/slow'),
    createWebhook(tenant, 'http://127.0.0.1:9/failing'),
    createWebhook(tenant, 'http://127.0.0.1:9/other'),
  ])
  await pool.run(
    sql`update webhooks set failing_since = ${clock.iso(clock.wall())} where workspace_id = ${tenant.id}
      and id = ${failing.id}`,
  )
  for (let count = 0; count < 12; count += 1) await tenant.call('POST', '/contacts', newContact())
  const countBy = (claimed: claims.ClaimedDelivery[]) =>
    Object.fromEntries(
      Map.groupBy(claimed, ({ webhook_id }) => webhook_id)
        .entries()
        .map(([id, all]) => [id, all.length]),
    )
  const now = soon()
  const claimDue = (request: Partial<claims.DeliveryClaim>) =>
    claims.claimDue(at(tenant.id, now), { ...unlimited, ...request })
  const few = await claimDue({ slots: 2, slow_slots: 1 })
  assert.deepEqual(
    countBy(few),
    { [slow.id]: 1, [failing.id]: 1, [other.id]: 1 },
    'with few slots, one for each endpoint',
  )
  const by_key = new Map(few.map(({ webhook_id }) => [webhook_id, { running: 1, is_slow: false }]))
  const last = new Map(few.map((delivery) => [delivery.webhook_id, delivery]))
  const claimed = new Set(few)
  const more = await claimDue({ by_key, claimed })
  assert.deepEqual(countBy(more), { [slow.id]: 9, [other.id]: 9 })
  assert.deepEqual(countBy(await claimDue({ by_key, claimed, last, skips_to_last: true })), countBy(more))
  const held = new Map([
    [slow.id, { running: 10, is_slow: false }],
    [failing.id, { running: 1, is_slow: false }],
  ])
  const rest = await claimDue({ by_key: held, claimed: new Set([...few, ...more]) })
  assert.deepEqual(countBy(rest), { [other.id]: 2 }, 'a new endpoint gets two')
  const slow_state = new Map([[slow.id, { running: 0, is_slow: true }]])
  const beside = await claimDue({ slots: 5, slow_slots: 3, by_key: slow_state })
  assert.deepEqual(
    countBy(beside),
    { [slow.id]: 2, [failing.id]: 1, [other.id]: 2 },
    'slow and failing ones share slots',
  )
})

test('two processes send each delivery once', async () => {
  const tenant = await workspace()
  const target = await receiver()
  for (let count = 0; count < 5; count += 1) await createWebhook(tenant, target.url)
  await Promise.all(Array.from({ length: 20 }, () => tenant.call('POST', '/contacts', newContact())))
  await Promise.all([tenant.work(), tenant.work(), tenant.work()])
  assert.equal(target.received.length, 100)
})

test('the result of a delivery that changed since it was claimed is not recorded', async () => {
  const tenant = await workspace()
  const { id } = await createWebhook(tenant, 'http://127.0.0.1:9/')
  await tenant.call('POST', '/contacts', newContact())
  const now = soon()
  const attempt = { created_at: clock.iso(now), status: 200, duration_ms: 1, error: null, answer: '', url: null }
  const claim = async () => {
    const [delivery] = await claims.claimDue(at(tenant.id, now), unlimited)
    assert.ok(delivery)
    return delivery
  }
  const record = (delivery: claims.ClaimedDelivery, status: 'succeeded' | 'failed') =>
    claims.recordResults(at(tenant.id, now), [{ delivery, status, due_at: null, attempt }])
  const [first, second] = [await claim(), await claim()]
  await record(first, 'failed')
  await record(second, 'succeeded')
  const { status, attempts } = await deliveryOf(tenant, id)
  assert.deepEqual([status, attempts.length], ['failed', 1])
  await tenant.call('POST', `/webhooks/${id}/deliveries/${first.id}/resend`)
  await record(second, 'succeeded')
  assert.equal((await deliveryOf(tenant, id)).status, 'pending', 'it was resent since')
})

test('one process at a time sends for a workspace, and another when the lease ends', async () => {
  const { id } = await workspace()
  const [one, other] = [randomUUID(), randomUUID()].map((token) => ({ token }))
  assert.ok(one && other)
  const now = soon()
  const take = (lease: typeof one, now: number) => takeLease(at(id), { ...lease, now })
  assert.equal(await take(one, now), now + lease_ms)
  assert.equal(await take(other, now + 1), undefined)
  assert.equal(await take(one, now + 2), now + 2 + lease_ms, 'it renews its lease')
  const later = now + 2 + lease_ms
  assert.equal(await take(other, later), later + lease_ms)
  assert.equal(await take(one, later), undefined)
})

test('after a stop other processes may send at once what was in flight', async () => {
  const tenant = await workspace()
  const arrived = Promise.withResolvers<void>()
  const target = await receiver(() => arrived.resolve())
  const { id } = await createWebhook(tenant, target.url)
  await tenant.call('POST', '/contacts', newContact())
  await using engine = startEngine()
  engine.add(tenant.id)
  await arrived.promise
  await engine.stop()
  const { status, attempt } = await deliveryOf(tenant, id)
  assert.deepEqual([status, attempt], ['pending', 0])
  assert.ok(await takeLease(at(tenant.id), { token: randomUUID() }))
})
