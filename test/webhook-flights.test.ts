import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import * as clock from '../server/kit/clock.ts'
import type { Db, Pool } from '../server/kit/db.ts'
import { openLog } from '../server/kit/log.ts'
import { openOutbound } from '../server/kit/outbound.ts'
import { sealing } from '../server/kit/seal.ts'
import { type Sql, sql } from '../server/kit/sql.ts'
import { type FlightOptions, openFlights } from '../server/webhooks/flights.ts'
import * as queue from '../server/webhooks/queue.ts'
import { serve, type Tenant } from './harness.ts'
import { receiver } from './receivers.ts'
import { newContact } from './samples.ts'

const secrets_key = randomBytes(32).toString('base64')
const { workspace, pool } = await serve({ webhook_allow_hosts: ['127.0.0.1'], secrets_key })
const look_every_ms = 5

/** A sender that looks only when it is told to. */
function fly(options: Partial<FlightOptions> = {}) {
  const outbound = openOutbound({ allowed: ['127.0.0.1'] })
  const tools = { seal: sealing(secrets_key), outbound, address: () => '' }
  const flights = openFlights({ pool, tools, ownAddress: () => '', log: openLog('silent'), ...options })
  const end = async () => {
    await outbound.close()
    await flights.stop()
  }
  return { ...flights, [Symbol.asyncDispose]: end }
}

/** The database, but for one kind of statement. */
function except(kind: RegExp, instead: (statement: Sql, go: () => Promise<unknown>) => Promise<unknown>): Pool {
  const send = (way: 'many' | 'run') => (statement: Sql) => {
    const go = (): Promise<unknown> => pool[way](statement)
    return kind.test(statement.text) ? instead(statement, go) : go()
  }
  return { ...pool, many: send('many') as Db['many'], run: send('run') as Db['run'] }
}

const noting = /^with result as/
const claiming = /^with endpoint as/

async function listen(tenant: Tenant, url: string): Promise<string> {
  const webhook = { url, events: ['contact.created'] }
  return (await tenant.call('POST', '/webhooks', webhook)).body.data.id
}

const createMany = (tenant: Tenant, count: number) =>
  Promise.all(Array.from({ length: count }, () => tenant.call('POST', '/contacts', newContact())))

const statusesOf = async (tenant: Tenant, id: string): Promise<string[]> =>
  (await tenant.call('GET', `/webhooks/${id}/deliveries?limit=100`)).body.data.map(
    ({ status }: { status: string }) => status,
  )

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(look_every_ms)
}

test('slow endpoints keep none waiting that has more to get', async () => {
  const tenant = await workspace()
  const [slow, fast] = [await receiver(() => {}), await receiver()]
  await listen(tenant, slow.url)
  await listen(tenant, slow.url)
  await listen(tenant, fast.url)
  await createMany(tenant, 40)
  await using flights = fly()
  flights.send(tenant.id)
  await until(() => fast.received.length === 40)
  assert.equal(slow.received.length, 20)
})

test('what was committed late is sent, however much it is, while something hangs', async () => {
  const tenant = await workspace()
  const [hanging, fast] = [await receiver(() => {}), await receiver()]
  await listen(tenant, hanging.url)
  const id = await listen(tenant, fast.url)
  await createMany(tenant, 31)
  const later = (due: string, count: number) =>
    pool.run(
      sql`update webhook_deliveries set due_at = ${due} where workspace_id = ${tenant.id} and webhook_id = ${id} and id in (
        select id from webhook_deliveries where workspace_id = ${tenant.id} and webhook_id = ${id} and status = 'pending'
        limit ${count})`,
    )
  await later(clock.iso(clock.now() + 1_000_000), 30)
  let is_busy = false
  // Something else happens while the first of them are found, for which there is no room any more.
  const busy = except(claiming, async (_statement, go) => {
    const found = await go()
    if (is_busy) flights.send(tenant.id)
    is_busy = false
    return found
  })
  await using flights = fly({ pool: busy })
  flights.send(tenant.id)
  while (!(await statusesOf(tenant, id)).includes('succeeded')) await sleep(look_every_ms)
  await later(clock.iso(clock.now() - 1_000_000), 30)
  is_busy = true
  await flights.look(tenant.id)
  await until(() => fast.received.length === 31)
  assert.equal(hanging.received.length, 10, 'it has not waited for those')
})

test('while nothing can be noted, no more is sent than may be under way', async () => {
  const tenant = await workspace()
  const there = await receiver()
  for (let count = 0; count < 10; count += 1) await listen(tenant, there.url)
  await createMany(tenant, 50)
  const full = except(noting, () => Promise.reject(new Error('the disk is full')))
  await using flights = fly({ pool: full })
  flights.send(tenant.id)
  await until(() => there.received.length >= 200)
  await sleep(200)
  await flights.look(tenant.id)
  await sleep(200)
  assert.ok(there.received.length <= 400, `${there.received.length} of 500 were sent`)
})

test('what a deadlock undid is noted again, not sent again', async () => {
  const tenant = await workspace()
  const there = await receiver()
  const id = await listen(tenant, there.url)
  await createMany(tenant, 1)
  let count = 0
  const unlucky = except(noting, (_statement, go) => {
    count += 1
    return count === 1 ? Promise.reject(Object.assign(new Error('deadlock detected'), { code: '40P01' })) : go()
  })
  await using flights = fly({ pool: unlucky })
  flights.send(tenant.id)
  await flights.settled()
  assert.deepEqual([there.received.length, await statusesOf(tenant, id)], [1, ['succeeded']])
})

test('who has claimed for so long that another may have begun sends nothing', async () => {
  const tenant = await workspace()
  const there = await receiver()
  await listen(tenant, there.url)
  await createMany(tenant, 1)
  let passed_ms = 0
  const slow = except(claiming, async (_statement, go) => {
    const rows = await go()
    passed_ms = queue.lease_ms
    return rows
  })
  await using flights = fly({ pool: slow, now: () => clock.now() + passed_ms })
  flights.send(tenant.id)
  await flights.settled()
  assert.equal(there.received.length, 0)
})

test('what waits for an endpoint that is active again does not fail', async () => {
  const tenant = await workspace()
  const id = await listen(tenant, 'http://127.0.0.1:9/')
  await createMany(tenant, 1)
  await tenant.call('PATCH', `/webhooks/${id}`, { status: 'disabled' })
  const late = except(/^select id from webhooks/, async (_statement, go) => {
    const disabled = await go()
    await tenant.call('PATCH', `/webhooks/${id}`, { status: 'active' })
    return disabled
  })
  await queue.failWaiting(late, tenant.id, [])
  assert.deepEqual(await statusesOf(tenant, id), ['pending'])
})

test('who stops leaves no lease, whatever it was about to do', async () => {
  const tenant = await workspace()
  const id = await listen(tenant, 'http://127.0.0.1:9/')
  await createMany(tenant, 1)
  await tenant.call('PATCH', `/webhooks/${id}`, { status: 'disabled' })
  await using flights = fly()
  await Promise.all([flights.look(tenant.id), flights.stop()])
  assert.ok(await queue.hold(pool, tenant.id, randomUUID(), clock.now()))
})
