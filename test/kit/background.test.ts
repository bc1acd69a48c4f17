import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { workspacesWithUnassigned } from '../../server/events/positions.ts'
import { work as import_work } from '../../server/imports/run.ts'
import * as clock from '../../server/kit/clock.ts'
import { openLog } from '../../server/kit/log.ts'
import { NodeSilentError } from '../../server/kit/postgres/citus/faults.ts'
import { type Sql, sql } from '../../server/kit/postgres/sql.ts'
import { moveDue, noteAllDue, openDueNotes } from '../../server/kit/work/due.ts'
import { Engine } from '../../server/kit/work/engine.ts'
import { openPeriodicTasks } from '../../server/kit/work/periodic.ts'
import { rowWork } from '../../server/kit/work/rows.ts'
import { due_deliveries } from '../../server/webhooks/claims.ts'
import { nodeDownLog, openWorker } from '../../server/worker.ts'
import { all_workspaces, listToLookInto } from '../../server/workspaces/store.ts'
import { createDatabase, openServer, type Tenant, testPool } from '../support/harness.ts'
import { recordStatements } from '../support/old-rows.ts'
import { receiver } from '../support/receivers.ts'
import { newContact, newImport, newWebhook } from '../support/samples.ts'
import { asSharded } from '../support/sharded.ts'
import { addTestClock } from '../support/test-clocks.ts'

/** Closed before the database is dropped. */
const open = new AsyncDisposableStack()
after(() => open.disposeAsync())
/** A dedicated database: these look at all workspaces. */
const { pool, url } = await createDatabase('background')
const server = await openServer(testPool(url), { outbound_allow_hosts: ['127.0.0.1'] })
open.defer(server.close)
const log = openLog('silent')
const imports = rowWork(import_work).due

const dueOf = (workspace: string) =>
  pool.many<{ kind: string; is_due: boolean }>(
    sql`select kind, due_at <= ${clock.iso(clock.wall())} as is_due from due_workspaces
      where workspace_id = ${workspace} order by kind`,
  )

test('a process notes new work for others after the commit', async () => {
  const notes = openDueNotes(server.pool, ['imports', 'deliveries'], log)
  const tenant = await server.workspace()
  await tenant.call('POST', '/webhooks', newWebhook())
  for (let count = 0; count < 3; count += 1) await tenant.call('POST', '/contacts', newContact())
  await tenant.call('POST', '/contacts/imports', newImport())
  await notes.stop()
  assert.deepEqual(await dueOf(tenant.id), [
    { kind: 'deliveries', is_due: true },
    { kind: 'imports', is_due: true },
  ])
})

for (const [name, db] of [
  ['', pool],
  [' of a sharded database', asSharded(pool)],
] as const)
  test(`work${name} that was not noted is found, and noted once`, async () => {
    const tenant = await server.workspace()
    await tenant.call('POST', '/webhooks', newWebhook())
    await tenant.call('POST', '/contacts', newContact())
    await tenant.call('POST', '/contacts/imports', newImport())
    assert.deepEqual(await dueOf(tenant.id), [])
    for (let count = 0; count < 2; count += 1)
      await noteAllDue(db, { kinds: [imports, due_deliveries], workspaces: all_workspaces })
    assert.deepEqual(await dueOf(tenant.id), [
      { kind: 'deliveries', is_due: true },
      { kind: 'imports', is_due: true },
    ])
  })

test('a workspace of a sharded database whose node is down keeps no other from being noted', async () => {
  const tenants = [await server.workspace(), await server.workspace(), await server.workspace()]
  for (const { call } of tenants) await call('POST', '/contacts/imports', newImport())
  const [, down] = tenants
  const one: typeof pool.one = (statement) =>
    statement.values.includes(down?.id) ? Promise.reject(new Error('the node is down')) : pool.one(statement)
  // A statement over all workspaces fails when one of them can't be reached.
  const tx: typeof pool.tx = () => Promise.reject(new Error('the node is down'))
  const db = { ...asSharded(pool), one, tx }
  const reasons: unknown[] = []
  const every_due = {
    kinds: [imports],
    workspaces: all_workspaces,
    onNodeDown: (error: unknown) => reasons.push(error),
  }
  await assert.rejects(noteAllDue(db, every_due), /1 of \d+ failed/)
  assert.deepEqual(reasons.map(String), ['Error: the node is down'])
  const noted = await Promise.all(tenants.map(async ({ id }) => (await dueOf(id)).length))
  assert.deepEqual(noted, [1, 0, 1])
})

test('looking for work in a sharded database takes as many statements, however many workspaces have none', async () => {
  const countStatements = async () => {
    const sent: Sql[] = []
    const db = recordStatements(asSharded(pool), sent)
    await noteAllDue(db, { kinds: [imports, due_deliveries], workspaces: all_workspaces })
    await listToLookInto({ db }, workspacesWithUnassigned)
    return sent.length
  }
  const before = await countStatements()
  for (let count = 0; count < 5; count += 1) await server.workspace()
  assert.equal(await countStatements(), before)
})

test('a periodic task looks into all workspaces of a sharded database while a node is down', async () => {
  const { id } = await server.workspace()
  const find = () => Promise.reject(new Error('the node is down'))
  const lines: string[] = []
  const onNodeDown = nodeDownLog(pino({}, { write: (line) => lines.push(line) }))
  for (let run = 0; run < 3; run += 1)
    assert.ok((await listToLookInto({ db: asSharded(pool) }, find, onNodeDown)).includes(id))
  const [{ level, reason }] = lines.map((line) => JSON.parse(line))
  // In pino, 40 is a warning. The others come within the same minute.
  assert.deepEqual([lines.length, level, reason], [1, 40, 'the node is down'])
  await assert.rejects(listToLookInto({ db: { ...pool, isSharded: () => false } }, find), /the node is down/)
})

test('polls leave out a workspace whose node is down for a while, and not one that fails otherwise', async () => {
  const { id } = await server.workspace()
  const { tools, hooks } = server.at(id)
  const isPausingAfter = async (error: Error): Promise<boolean> => {
    const atOf = () => Promise.reject(error)
    const engine = new Engine(rowWork(import_work), { service: { pool, tools, hooks }, log, atOf })
    engine.add(id)
    await engine.idle(id)
    const is_pausing = engine.isPausing(id)
    await engine.stop()
    return is_pausing
  }
  assert.equal(await isPausingAfter(new NodeSilentError('a node does not answer')), true)
  assert.equal(await isPausingAfter(new Error('a bug')), false)
})

test('a note of a sharded database moves later when no work is due, and stays while some is', async () => {
  const tenant = await server.workspace()
  const at = { ...server.at(tenant.id), db: asSharded(pool) }
  await tenant.call('POST', '/contacts/imports', newImport())
  await noteAllDue(at.db, { kinds: [imports], workspaces: all_workspaces })
  await moveDue(at, imports)
  assert.deepEqual(await dueOf(tenant.id), [{ kind: 'imports', is_due: true }])
  await tenant.work()
  await moveDue(at, imports)
  assert.deepEqual(await dueOf(tenant.id), [{ kind: 'imports', is_due: false }])
})

test('a note moves later when no work is due, and stays while some is', async () => {
  const tenant = await server.workspace()
  await tenant.call('POST', '/contacts/imports', newImport())
  await noteAllDue(pool, { kinds: [imports], workspaces: all_workspaces })
  await moveDue(server.at(tenant.id), imports)
  assert.deepEqual(await dueOf(tenant.id), [{ kind: 'imports', is_due: true }])
  await tenant.work()
  await moveDue(server.at(tenant.id), imports)
  assert.deepEqual(await dueOf(tenant.id), [{ kind: 'imports', is_due: false }])
})

test('one process runs the periodic tasks, and another takes over when it stops', async () => {
  const runs = { first: 0, second: 0 }
  const task = (name: keyof typeof runs) => ({
    name,
    every_ms: 10,
    run: async () => {
      runs[name] += 1
    },
  })
  const first = openPeriodicTasks(pool, [task('first')], log)
  while (runs.first < 2) await sleep(10)
  const second = openPeriodicTasks(pool, [task('second')], log)
  await sleep(200)
  assert.equal(runs.second, 0)
  await first.stop()
  while (runs.second < 2) await sleep(10)
  await second.stop()
})

test('a task that fails is logged with its name, and run again', async () => {
  const warned: unknown[] = []
  const noticing = Object.assign(Object.create(log), { warn: (fields: { task: string }) => warned.push(fields.task) })
  let runs = 0
  const failing = {
    name: 'failing',
    every_ms: 10,
    run: async () => {
      runs += 1
      throw new Error('no')
    },
  }
  const tasks = openPeriodicTasks(pool, [failing], noticing)
  while (runs < 2) await sleep(10)
  await tasks.stop()
  assert.deepEqual(warned.slice(0, 2), ['failing', 'failing'])
})

test('an idle service sends the database fewer than five statements a second', async () => {
  // The next test would wait for leases of this worker.
  await using stack = new AsyncDisposableStack()
  const sent: Sql[] = []
  const { tools, hooks } = server.at('')
  const service = { pool: recordStatements(pool, sent), tools, hooks }
  const worker = openWorker({ service, ownAddress: () => '', events_keep_days: 30, log })
  stack.defer(worker.stop)
  // The first run of each task, and what earlier tests have left to do.
  const countStatements = async () => {
    sent.length = 0
    await sleep(3_000)
    return sent.length
  }
  let count = await countStatements()
  for (let tries = 0; count >= 3 * 5 && tries < 5; tries += 1) count = await countStatements()
  assert.ok(count > 0 && count < 3 * 5, sent.map(({ text }) => text).join('\n'))
})

test('while a test clock advances, a live workspace beside it notices nothing', async () => {
  const [live, tenant] = [await server.workspace(), await server.workspace()]
  await addTestClock(server.at(tenant.id))
  const target = await receiver((response) => response.writeHead(500).end())
  for (const { call } of [live, tenant]) {
    await call('POST', '/webhooks', newWebhook({ url: target.url }))
    await call('POST', '/contacts', newContact())
  }
  const attemptsOf = async ({ id }: Tenant) =>
    (await pool.one<{ attempt: number }>(sql`select attempt from webhook_deliveries where workspace_id = ${id}`))
      .attempt
  const { tools, hooks } = server.at('')
  const service = { pool: server.pool, tools, hooks }
  const worker = openWorker({ service, ownAddress: () => '', events_keep_days: 30, log })
  open.defer(worker.stop)
  while ((await attemptsOf(live)) === 0 || (await attemptsOf(tenant)) === 0) await sleep(20)
  const advanced = await tenant.call('POST', '/test_clock/advance', { by_seconds: 5 * 24 * 3_600 })
  assert.equal(advanced.status, 202, advanced.text)
  while ((await tenant.call('GET', '/test_clock')).body.data.status === 'advancing') await sleep(20)
  assert.equal(await attemptsOf(tenant), 10)
  assert.ok((await attemptsOf(live)) <= 2, 'the next attempts are due in five minutes')
})
