import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import * as clock from '../server/kit/clock.ts'
import { openLog } from '../server/kit/log.ts'
import { type Outbound, openOutbound } from '../server/kit/outbound/outbound.ts'
import { OutboundError } from '../server/kit/outbound/request.ts'
import type { Db, Pool } from '../server/kit/postgres/pool.ts'
import { type Sql, sql } from '../server/kit/postgres/sql.ts'
import * as claims from '../server/webhooks/claims.ts'
import { type DispatcherOptions, openDispatcher } from '../server/webhooks/dispatcher.ts'
import { lease_ms, releaseLeases, takeLease } from '../server/webhooks/lease.ts'
import { sendAll } from '../server/webhooks/sender.ts'
import { serve, type Tenant } from './support/harness.ts'
import { receiver } from './support/receivers.ts'
import { newContact } from './support/samples.ts'
import { createWebhook, deliveriesOf, deliveryOf, soon } from './support/webhook-calls.ts'

const { workspace, pool, at } = await serve({ webhook_allow_hosts: ['127.0.0.1'] })
const { tools, hooks } = at('')
const check_every_ms = 5

/** A sender that never polls by itself. */
function startDispatcher(own_pool = pool, options: Partial<DispatcherOptions> = {}) {
  const outbound = openOutbound({ allowed: ['127.0.0.1'] })
  const service = { pool: own_pool, tools: { ...tools, outbound }, hooks }
  const dispatcher = openDispatcher({ service, ownAddress: () => '', log: openLog('silent'), ...options })
  const end = async () => {
    await outbound.close()
    await dispatcher.stop()
  }
  return { ...dispatcher, [Symbol.asyncDispose]: end }
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
  await using dispatcher = startDispatcher()
  dispatcher.send(tenant.id)
  await until(() => fast.received.length === 40)
  assert.equal(slow.received.length, 20)
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
    if (is_busy) dispatcher.send(tenant.id)
    is_busy = false
    return found
  })
  await using dispatcher = startDispatcher(busy)
  dispatcher.send(tenant.id)
  while (!(await statusesOf(tenant, id)).includes('succeeded')) await sleep(check_every_ms)
  await later(clock.iso(clock.wall() - 1_000_000), 30)
  is_busy = true
  dispatcher.sendAgain(tenant.id)
  await until(() => fast.received.length === 31)
  assert.equal(hanging.received.length, 10, 'the others did not wait for it')
})

test("while results can't be recorded, no more than the limit is sent", async () => {
  const tenant = await workspace()
  const target = await receiver()
  for (let count = 0; count < 10; count += 1) await createWebhook(tenant, target.url)
  await createMany(tenant, 50)
  const full = intercept(recording, () => Promise.reject(new Error('the disk is full')))
  await using dispatcher = startDispatcher(full)
  dispatcher.send(tenant.id)
  await until(() => target.received.length >= 200)
  await sleep(200)
  dispatcher.sendAgain(tenant.id)
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
  await using dispatcher = startDispatcher(unlucky)
  dispatcher.send(tenant.id)
  await dispatcher.idle()
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
  await using dispatcher = startDispatcher(slow, { now: () => clock.wall() + passed_ms })
  dispatcher.send(tenant.id)
  await dispatcher.idle()
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
  await using dispatcher = startDispatcher()
  dispatcher.sendAgain(tenant.id)
  await dispatcher.stop()
  assert.ok(await takeLease(at(tenant.id), randomUUID()))
})

test('an attempt may take 15 seconds, and shows its URL', async () => {
  const tenant = await workspace()
  const { id, url } = await createWebhook(tenant, 'http://127.0.0.1:9/first')
  await tenant.call('POST', '/contacts', newContact())
  const seen: number[] = []
  const post: Outbound['post'] = async (_url, { timeout_ms }) => {
    seen.push(timeout_ms)
    throw new OutboundError('not sent')
  }
  const service = { pool, tools: { ...tools, outbound: { ...tools.outbound, post } }, hooks }
  await sendAll({ service, ownAddress: () => '', log: openLog('silent') }, tenant.id)
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
  const limits = { per_endpoint: 10, per_failing_endpoint: 1, total: 200, total_failing: 100 }
  const countBy = (claimed: claims.Claimed[]) =>
    Object.fromEntries(
      Map.groupBy(claimed, ({ webhook_id }) => webhook_id)
        .entries()
        .map(([id, all]) => [id, all.length]),
    )
  const now = soon()
  const claimDue = (options: claims.ClaimOptions) => claims.claimDue(at(tenant.id, now), options)
  const few = await claimDue({
    limits: { ...limits, total: 2, total_failing: 1 },
    progress: new Map(),
    claimed: [],
  })
  assert.deepEqual(
    countBy(few),
    { [slow.id]: 1, [failing.id]: 1, [other.id]: 1 },
    'with few slots, one for each endpoint',
  )
  const progress = new Map(few.map(({ webhook_id, due_at, id }) => [webhook_id, { in_flight: 1, due_at, id }]))
  const more = await claimDue({ limits, progress, claimed: few })
  assert.deepEqual(countBy(more), { [slow.id]: 9, [other.id]: 9 })
  assert.deepEqual(countBy(await claimDue({ limits, progress, claimed: 'all_before' })), countBy(more))
  const full = (in_flight: number) => ({ in_flight, due_at: clock.iso(now), id: slow.id })
  const held = new Map([
    [slow.id, full(10)],
    [failing.id, full(1)],
  ])
  const rest = await claimDue({ limits, progress: held, claimed: [...few, ...more] })
  assert.deepEqual(countBy(rest), { [other.id]: 2 })
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
  const limits = { per_endpoint: 10, per_failing_endpoint: 1, total: 200, total_failing: 100 }
  const now = soon()
  const attempt = { created_at: clock.iso(now), status: 200, duration_ms: 1, error: null, answer: '', url: null }
  const claim = async () => {
    const [delivery] = await claims.claimDue(at(tenant.id, now), { limits, progress: new Map(), claimed: [] })
    assert.ok(delivery)
    return delivery
  }
  const record = (delivery: claims.Claimed, status: 'succeeded' | 'failed') =>
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
  const [one, other] = [randomUUID(), randomUUID()]
  const now = soon()
  assert.equal(await takeLease(at(id, now), one), now + lease_ms)
  assert.equal(await takeLease(at(id, now + 1), other), undefined)
  assert.equal(await takeLease(at(id, now + 2), one), now + 2 + lease_ms, 'it renews its lease')
  const later = now + 2 + lease_ms
  assert.equal(await takeLease(at(id, later), other), later + lease_ms)
  await releaseLeases(pool, one)
  assert.equal(await takeLease(at(id, later), one), undefined, 'its own release changes nothing')
  await releaseLeases(pool, other)
  assert.ok(await takeLease(at(id, later), one))
})

test('after a stop other processes may send at once what was in flight', async () => {
  const tenant = await workspace()
  const arrived = Promise.withResolvers<void>()
  const target = await receiver(() => arrived.resolve())
  const { id } = await createWebhook(tenant, target.url)
  await tenant.call('POST', '/contacts', newContact())
  await using dispatcher = startDispatcher()
  dispatcher.send(tenant.id)
  await arrived.promise
  await dispatcher.stop()
  const { status, attempt } = await deliveryOf(tenant, id)
  assert.deepEqual([status, attempt], ['pending', 0])
  assert.ok(await takeLease(at(tenant.id), randomUUID()))
})
