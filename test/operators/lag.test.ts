import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { background_kinds } from '../../server/due-kinds.ts'
import * as clock from '../../server/kit/clock.ts'
import { openLog } from '../../server/kit/log.ts'
import { type Sql, sql } from '../../server/kit/postgres/sql.ts'
import { openDueNotes } from '../../server/kit/work/due.ts'
import { newCaller, placeCall } from '../support/calls.ts'
import { begin, newAgent, say } from '../support/conversations.ts'
import { createDatabase, openServer, testPool } from '../support/harness.ts'
import { metricsOf, readMetrics } from '../support/metrics.ts'
import { until } from '../support/model-servers.ts'
import { receiver } from '../support/receivers.ts'
import { newContact, newImport, newWebhook } from '../support/samples.ts'
import { startWorker } from '../support/workers.ts'

/* How late background work is, by /metrics and by the tables. A dedicated database: both look at all workspaces. */

const open = new AsyncDisposableStack()
after(() => open.disposeAsync())
const { pool, url } = await createDatabase('lag')
const server = await openServer(testPool(url), { outbound_allow_hosts: ['127.0.0.1'] })
open.defer(server.close)
const notes = openDueNotes(server.pool, background_kinds, openLog('silent'))
open.defer(() => notes.stop())

const tolerance_seconds = 2
const readLag = async (kind: string) =>
  (await readMetrics(server)).get(`parley_engine_lag_seconds{kind="${kind}"}`) ?? Number.NaN

/** Since when the oldest due item has been due, in seconds. */
async function countedLag(due: Sql): Promise<number> {
  const { oldest } = await pool.one<{ oldest: string | null }>(sql`select min(due_at) as oldest from ${due}`)
  return oldest === null ? 0 : Math.max(0, (clock.wall() - clock.parse(oldest)) / 1_000)
}

async function assertLag(kind: string, due: Sql): Promise<number> {
  const [shown, counted] = await Promise.all([readLag(kind), countedLag(due)])
  assert.ok(Math.abs(shown - counted) < tolerance_seconds, `${kind}: ${shown} is shown, ${counted} counted`)
  return counted
}

/** Makes what is due of a workspace due earlier, as if nothing had run for so long. */
async function makeOlder(workspace: string, seconds: number): Promise<void> {
  const by = sql`due_at = (due_at at time zone 'UTC' - make_interval(secs => ${seconds}::integer)) at time zone 'UTC'`
  for (const table of Object.values(tables))
    await pool.run(sql`update ${table} set ${by} where workspace_id = ${workspace} and due_at is not null`)
}

/** By the kind of their work. */
const tables = {
  imports: sql`imports`,
  deliveries: sql`webhook_deliveries`,
  conversations: sql`conversations`,
  calls: sql`calls`,
}
const kinds = Object.keys(tables)

const tenant = await server.workspace()
const target = await receiver()
await tenant.call('POST', '/webhooks', newWebhook({ url: target.url }))

test('nothing is late while nothing is due', async () => {
  const values = await readMetrics(server)
  const lags = [...values].filter(([name]) => name.startsWith('parley_engine_lag_seconds'))
  assert.equal(lags.length, background_kinds.length - 1, 'test clocks have no lag')
  assert.deepEqual(new Set(lags.map(([, lag]) => lag)), new Set([0]))
})

test('the lag of each engine is that of the oldest item that could run now', async () => {
  await tenant.call('POST', '/contacts', newContact())
  await tenant.call('POST', '/contacts/imports', newImport())
  const agent_id = await newAgent(tenant, { greeting: 'Hello' })
  const { id } = await begin(tenant, agent_id)
  await say(tenant, id, 'Hello')
  await placeCall(tenant, { agent_id: await newCaller(tenant), to: '+14155550100', simulate: '00' })
  const noted = async () =>
    (await pool.one<{ count: number }>(sql`select count(*) from due_workspaces where due_at = '-infinity'`)).count
  await until(async () => (await noted()) >= kinds.length)
  for (const seconds of [30, 400]) {
    await makeOlder(tenant.id, seconds)
    // What was read before is shown for a second.
    await sleep(1_100)
    for (const [kind, table] of Object.entries(tables)) {
      const lag = await assertLag(kind, sql`${table} where due_at is not null`)
      assert.ok(lag > seconds - tolerance_seconds, kind)
    }
  }
})

test('what a process has leased is not late until the lease ends', async () => {
  const lease = (seconds: number) =>
    pool.run(
      sql`update imports set lease_until = ${clock.iso(clock.wall() + seconds * 1_000)} where workspace_id = ${tenant.id}`,
    )
  await lease(60)
  await until(async () => (await readLag('imports')) === 0)
  await lease(-20)
  await until(async () => (await readLag('imports')) > 0)
  await assertLag('imports', sql`imports where due_at is not null`)
})

test('work of test workspaces, by their clocks or not, is not late', async () => {
  const hour_ms = 3_600_000
  const on_clock = await server.workspace(clock.wall() - 10 * hour_ms)
  await on_clock.call('POST', '/contacts/imports', newImport())
  const isNoted = async () =>
    (await pool.many(sql`select from due_workspaces where workspace_id = ${on_clock.id} and kind = 'imports'`)).length >
    0
  await until(isNoted)
  await sleep(1_100)
  assert.ok((await readLag('imports')) < hour_ms / 1_000)
})

test('work that was noted for a later time counts from then', async () => {
  const other = await server.workspace()
  await other.call('POST', '/webhooks', newWebhook({ url: target.url }))
  await other.call('POST', '/contacts', newContact())
  await until(
    async () => (await pool.many(sql`select from due_workspaces where workspace_id = ${other.id}`)).length > 0,
  )
  await makeOlder(other.id, 5_000)
  await pool.run(
    sql`update due_workspaces set due_at = ${clock.iso(clock.wall() - 5_000_000)} where workspace_id = ${other.id}`,
  )
  await sleep(1_100)
  assert.ok((await assertLag('deliveries', sql`webhook_deliveries where due_at is not null`)) > 4_000)
})

test('the lag is gone when a worker has done the work', async () => {
  const worker = startWorker(server, { speed: 100 })
  open.defer(() => worker.stop())
  await until(async () => {
    const values = await readMetrics(server)
    return kinds.every((kind) => values.get(`parley_engine_lag_seconds{kind="${kind}"}`) === 0)
  })
  await worker.stop()
  await assertLag('imports', sql`imports where workspace_id = ${tenant.id} and due_at is not null`)
  assert.ok(target.received.length >= 2)
})

test('without a database the other metrics are shown', async () => {
  const broken = testPool(url.replace(/:\d+\//, ':1/'))
  const alone = await openServer(broken)
  open.defer(alone.close)
  const text = await metricsOf(alone)
  assert.match(text, /^parley_pool_connections\{state="idle"\} 0$/m)
  assert.doesNotMatch(text, /^parley_engine_lag_seconds/m)
})
