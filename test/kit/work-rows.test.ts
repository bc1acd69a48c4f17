import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { work as imports } from '../../server/imports/run.ts'
import * as clock from '../../server/kit/clock.ts'
import { openLog } from '../../server/kit/log.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { Engine } from '../../server/kit/work/engine.ts'
import { attempts_max, type RowWork, rowWork } from '../../server/kit/work/rows.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { newImport } from '../support/samples.ts'

const { workspace, pool, at } = await serve()
const { tools, hooks } = at('')
const check_every_ms = 20
const longer_than_a_check_ms = 700

interface Row {
  status: string
  attempt: number
  lease_until: string | null
  is_leased: boolean
}

async function startImport(tenant: Tenant) {
  const { status, body, text } = await tenant.call('POST', '/contacts/imports', newImport())
  assert.equal(status, 201, text)
  const row = sql`workspace_id = ${tenant.id} and id = ${body.data.id}`
  const read = () =>
    pool.one<Row>(
      sql`select status, attempt, lease_until, lease_token is not null as is_leased from imports where ${row}`,
    )
  return { read, endLease: () => pool.run(sql`update imports set lease_until = null where ${row}`) }
}

/** Works on the imports of one workspace once. */
async function runOnce(work: RowWork, { id }: Tenant, idle_ms = 0): Promise<void> {
  const engine = new Engine(rowWork(work), { service: { pool, tools, hooks }, log: openLog('silent') })
  await sleep(idle_ms)
  engine.add(id)
  await engine.idle(id)
  await engine.stop()
}

const failing: RowWork = { ...imports, begin: () => Promise.reject(new Error('a batch that fails')) }

test('work that fails is tried again after a while, longer each time, until it is given up', async () => {
  const tenant = await workspace()
  const { read, endLease } = await startImport(tenant)
  const waits: number[] = []
  for (let attempt = 1; attempt < attempts_max; attempt += 1) {
    const now = clock.wall()
    await runOnce(failing, tenant)
    const row = await read()
    assert.deepEqual([row.attempt, row.status, row.is_leased], [attempt, 'queued', false])
    waits.push(clock.parse(row.lease_until ?? '') - now)
    await runOnce(failing, tenant)
    assert.equal((await read()).attempt, attempt, 'not before its time')
    await endLease()
  }
  assert.deepEqual(
    waits,
    waits.toSorted((one, other) => one - other),
  )
  await runOnce(failing, tenant)
  const { status, lease_until } = await read()
  assert.deepEqual([status, lease_until], ['failed', null])
})

test('work that the machine has no handles for is never given up', async () => {
  const tenant = await workspace()
  const { read, endLease } = await startImport(tenant)
  const without_handles = Object.assign(new Error('open'), { code: 'EMFILE' })
  const starved: RowWork = { ...imports, begin: () => Promise.reject(new Error('a batch', { cause: without_handles })) }
  for (let attempt = 1; attempt <= attempts_max + 2; attempt += 1) {
    await runOnce(starved, tenant)
    await endLease()
  }
  assert.equal((await read()).status, 'queued')
  await runOnce(imports, tenant)
  assert.equal((await read()).status, 'finished')
})

test('work without a last attempt is never given up', async () => {
  const tenant = await workspace()
  const { read, endLease } = await startImport(tenant)
  const { giveUp: _, ...patient } = failing
  for (let attempt = 1; attempt <= attempts_max + 1; attempt += 1) {
    await endLease()
    await runOnce(patient, tenant)
  }
  assert.deepEqual([(await read()).attempt, (await read()).status], [attempts_max + 1, 'queued'])
})

test('the lease of a row is renewed while a batch runs, also by an engine that was idle before', async () => {
  const tenant = await workspace()
  const { read } = await startImport(tenant)
  const ended = Promise.withResolvers<void>()
  const long: RowWork = {
    ...imports,
    begin: async (at, lease, context) => {
      const runBatch = await imports.begin(at, lease, context)
      return () => ended.promise.then(runBatch)
    },
  }
  const running = runOnce(long, tenant, longer_than_a_check_ms)
  while (!(await read()).is_leased) await sleep(check_every_ms)
  const { lease_until } = await read()
  while ((await read()).lease_until === lease_until) await sleep(check_every_ms)
  ended.resolve()
  await running
  const { is_leased, status } = await read()
  assert.deepEqual([is_leased, status], [false, 'finished'])
})

test("a row whose work can't be ended doesn't keep other workspaces from theirs", async () => {
  const [tenant, other] = [await workspace(), await workspace()]
  const { read } = await startImport(tenant)
  const broken: RowWork = {
    ...imports,
    begin: async (at, lease, context) => {
      if (at.workspace === other.id) return imports.begin(at, lease, context)
      // The statement that ends the turn fails too.
      return Object.assign(at, { db: { ...at.db, maybe: refuse, run: refuse } }) && refuse()
    },
  }
  const engine = new Engine(rowWork(broken), { service: { pool, tools, hooks }, log: openLog('silent') })
  engine.add(tenant.id)
  await engine.idle(tenant.id)
  assert.equal((await read()).is_leased, true, 'until the lease ends')
  const second = await startImport(other)
  engine.add(other.id)
  await engine.idle(other.id)
  await engine.stop()
  assert.equal((await second.read()).status, 'finished')
})

const refuse = () => Promise.reject(new Error('the database is away'))
