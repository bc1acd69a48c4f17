import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { work as imports } from '../../server/imports/run.ts'
import * as clock from '../../server/kit/clock.ts'
import { openLog } from '../../server/kit/log.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { openDatabaseTime } from '../../server/kit/postgres/time.ts'
import { Engine } from '../../server/kit/work/engine.ts'
import { openLeader } from '../../server/kit/work/leader.ts'
import { lease_ms } from '../../server/kit/work/lease.ts'
import { type RowWork, rowWork } from '../../server/kit/work/rows.ts'
import { takeLease } from '../../server/webhooks/leases.ts'
import { serve, type Tenant, testPool } from '../support/harness.ts'
import { newImport } from '../support/samples.ts'

/* Processes whose clocks differ from that of the database, and from each other's. */

const { workspace, pool, at } = await serve()
const { tools, hooks } = at('')
const log = openLog('silent')
const off_ms = 30_000

/** From here on the clock of the process is off. */
function moveClock(context: TestContext, by_ms: number): void {
  const now = Date.now
  context.mock.method(Date, 'now', () => now() + by_ms)
}

/** An import that has been due for long, by any clock. */
async function addImport(tenant: Tenant) {
  const { body, text } = await tenant.call('POST', '/contacts/imports', newImport())
  const row = sql`workspace_id = ${tenant.id} and id = ${body.data?.id}`
  const due_at = clock.iso(clock.wall() - clock.day_ms)
  assert.equal(await pool.run(sql`update imports set due_at = ${due_at} where ${row}`), 1, text)
  return {
    read: () => pool.one<{ lease_token: string | null }>(sql`select lease_token from imports where ${row}`),
    /** A process that was killed has left this lease, which ends after a while by the database's time. */
    lease: async (for_ms: number) => {
      const { now } = await pool.one<{ now: string }>(sql`select date_trunc('milliseconds', clock_timestamp()) as now`)
      const lease_until = clock.iso(clock.parse(now) + for_ms)
      await pool.run(sql`update imports set lease_token = ${randomUUID()}, lease_until = ${lease_until} where ${row}`)
    },
    readLeft: async () => {
      const { left_ms } = await pool.one<{ left_ms: string }>(
        sql`select extract(epoch from lease_until - clock_timestamp()) * 1000 as left_ms from imports where ${row}`,
      )
      return Number(left_ms)
    },
  }
}

/** Runs once what can be leased, with a batch that doesn't end before `ended`. Returns how many rows were leased. */
async function runOnce({ id }: Tenant, ended: Promise<unknown> = Promise.resolve()) {
  let leased = 0
  const begun = Promise.withResolvers<void>()
  const waiting: RowWork = {
    ...imports,
    begin: async () => {
      leased += 1
      begun.resolve()
      await ended
      return async () => false
    },
  }
  const engine = new Engine(rowWork(waiting), { service: { pool, tools, hooks }, log })
  engine.add(id, { is_polled: true })
  await Promise.race([engine.idle(id), begun.promise])
  return { leased, stop: () => engine.stop() }
}

for (const by_ms of [off_ms, -off_ms]) {
  const name = `a process whose clock is 30 s ${by_ms > 0 ? 'ahead' : 'behind'}`

  test(`${name} leaves a row to the one that holds it`, async (context) => {
    const tenant = await workspace()
    const { read, lease } = await addImport(tenant)
    await lease(lease_ms)
    const before = await read()
    moveClock(context, by_ms)
    const { leased, stop } = await runOnce(tenant)
    await stop()
    assert.equal(leased, 0)
    assert.deepEqual(await read(), before)
  })

  test(`${name} takes a row over when its lease has ended, and holds it for as long as others`, async (context) => {
    const tenant = await workspace()
    const { lease, readLeft } = await addImport(tenant)
    await lease(-lease_ms)
    moveClock(context, by_ms)
    const ended = Promise.withResolvers<void>()
    const { leased, stop } = await runOnce(tenant, ended.promise)
    const left_ms = await readLeft()
    ended.resolve()
    await stop()
    assert.equal(leased, 1)
    // A process knows the time of the database to within a round trip.
    assert.ok(left_ms > 0 && left_ms <= lease_ms + 1_000, `it ends in ${left_ms} ms`)
  })

  test(`${name} sends nothing for a workspace that another one sends for`, async (context) => {
    const { id } = await workspace()
    assert.ok(await takeLease(at(id), { token: randomUUID() }))
    moveClock(context, by_ms)
    assert.equal(await takeLease(at(id), { token: randomUUID() }), undefined)
  })

  test(`${name} doesn't become the leader while there is one`, async (context) => {
    const leader_name = randomUUID()
    const readToken = () =>
      pool.maybe<{ lease_token: string }>(sql`select lease_token from process_leases where name = ${leader_name}`)
    const elected = Promise.withResolvers<void>()
    const leader = openLeader(pool, leader_name, elected.resolve, log)
    await elected.promise
    const before = await readToken()
    moveClock(context, by_ms)
    const other = openLeader(pool, leader_name, () => {}, log)
    // It waits until the other one has tried.
    await other.stop()
    assert.ok(before)
    assert.deepEqual(await readToken(), before)
    await leader.stop()
  })
}

test("a process knows the database's time after its first statement", async (context) => {
  const hour_ms = 3_600_000
  moveClock(context, hour_ms)
  await using own = Object.assign(testPool(), { [Symbol.asyncDispose]: () => own.close() })
  await own.many(sql`select 1`)
  assert.ok(clock.wall() - own.time() > hour_ms / 2)
})

test('a measurement that took long replaces no better one, until that is old', async (context) => {
  let ticks = 0
  context.mock.method(performance, 'now', () => ticks)
  const time = openDatabaseTime()
  const measure = (answer_ms: number, took_ms: number) =>
    time.measure(async () => {
      ticks += took_ms
      return clock.iso(answer_ms)
    })
  await measure(50_000, 2)
  assert.equal(time.now(), 50_001)
  await measure(60_000, 1_000)
  assert.equal(time.now(), 51_001, 'it answered at the beginning or at the end')
  ticks += 60_000
  await measure(200_000, 1_000)
  assert.equal(time.now(), 200_500)
})
