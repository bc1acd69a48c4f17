import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as imports from '../../server/imports/store.ts'
import * as clock from '../../server/kit/clock.ts'
import { openLog } from '../../server/kit/log.ts'
import { type Sql, sql } from '../../server/kit/postgres/sql.ts'
import * as retention from '../../server/retention.ts'
import * as deliveries from '../../server/webhooks/deliveries.ts'
import * as removal from '../../server/webhooks/retention.ts'
import { createDatabase, openServer, testPool } from '../support/harness.ts'
import { holdTransaction } from '../support/held-transaction.ts'
import { explain, fillDeliveries, fillEvents, fillKeys, fillMessages, recordStatements } from '../support/old-rows.ts'
import { newContact, newImport, newIntegration, newWebhook } from '../support/samples.ts'

/** Disposed before the database is dropped. */
const open = new AsyncDisposableStack()
after(() => open.disposeAsync())
/** Retention runs in all workspaces, so this file has its own database. */
const { pool, url } = await createDatabase('retention')
const server = await openServer(testPool(url))
open.defer(server.close)

const day_ms = 24 * 60 * 60 * 1000
const log = openLog('silent')
const { tools, hooks } = server.at('')
const service = { pool, tools, hooks }
const options = { service, events_keep_days: 30, isStopping: () => false, log }

const count = async (from: Sql): Promise<number> =>
  (await pool.one<{ count: number }>(sql`select count(*) from ${from}`)).count

const totalOf = async (
  { call }: { call: (method: string, path: string) => Promise<{ body: unknown }> },
  id: string,
) => {
  const { body } = await call('GET', `/webhooks/${id}/deliveries?limit=1`)
  return (body as { pagination: { total: number } }).pagination.total
}

test('a failure in one workspace is logged, and its other steps and other workspaces continue', async () => {
  const tenants = [await server.workspace(), await server.workspace()]
  for (const { call } of tenants) {
    const { id } = (await call('POST', '/webhooks', newWebhook({ url: 'inbox' }))).body.data
    await call('POST', `/webhooks/${id}/test`)
    await call('GET', '/events')
  }
  const left = () =>
    Promise.all(
      tenants.map(({ id }) =>
        Promise.all([
          count(sql`webhook_deliveries where workspace_id = ${id}`),
          count(sql`events where workspace_id = ${id}`),
        ]),
      ),
    )
  const workspace_ids = tenants.map(({ id }) => id)
  const [first = ''] = workspace_ids
  const before = await left()
  assert.deepEqual(before.flat().includes(0), false)
  const events_before = before[0]?.[1]
  const warned: unknown[] = []
  const warn = (fields: { step: string; workspace_id: string }) => warned.push([fields.step, fields.workspace_id])
  const recording_log = Object.assign(Object.create(log), { warn })
  await using held = await holdTransaction(pool, (db) =>
    db.run(sql`select from webhook_deliveries where workspace_id = ${first} for update`),
  )
  await retention.removeExpired({ ...options, log: recording_log, now: () => clock.wall() + 31 * day_ms })
  assert.deepEqual(
    await left(),
    [
      [1, events_before],
      [0, 0],
    ],
    'the events of deliveries that are left stay too',
  )
  assert.deepEqual(warned, [['workspace', first]])
  await held.end()
  await retention.removeExpired({ ...options, now: () => clock.wall() + 31 * day_ms })
  assert.deepEqual((await left()).flat(), [0, 0, 0, 0])
})

const statements_run: Sql[] = []

test('old rows are removed in batches, and no others are removed', async () => {
  const tenant = await server.workspace()
  const { id: webhook_id } = (await tenant.call('POST', '/webhooks', newWebhook({ url: 'inbox' }))).body.data
  const integration = (await tenant.call('POST', '/integrations', newIntegration())).body.data
  const now = clock.wall()
  const [from_ms, until_ms] = [now - 60 * day_ms - 60_000, now - 60_000]
  const old_rows = { workspace: tenant.id, webhook_id, rows: 20_000, from_ms, until_ms }
  await fillDeliveries(pool, old_rows)
  await fillEvents(pool, old_rows)
  await fillMessages(pool, integration.id, old_rows)
  await fillKeys(pool, { ...old_rows, until_ms: until_ms + 60 * day_ms })
  await pool.script('vacuum analyze')
  await retention.removeExpired({
    ...options,
    service: { ...service, pool: recordStatements(pool, statements_run) },
    now: () => now,
  })

  const of_tenant = sql`where workspace_id = ${tenant.id}`
  // The creation of the tenant's key is an event too.
  assert.equal(await count(sql`events ${of_tenant} and type = 'contact.created'`), 10_000)
  for (const table of [sql`webhook_deliveries`, sql`integration_messages`, sql`idempotency_keys`]) {
    assert.equal(await count(sql`${table} ${of_tenant}`), 10_000, table.text)
  }
  assert.equal(await count(sql`webhook_deliveries ${of_tenant} and created_at < ${clock.iso(now - 30 * day_ms)}`), 0)
  assert.equal(await totalOf(tenant, webhook_id), 10_000)
})

test('old rows are found by an index', async () => {
  const large = /(webhook_deliveries|events|integration_messages|idempotency_keys)\b/
  // The first statement of each text has a full batch.
  const concerned = statements_run.filter(({ text }) => large.test(text)).toReversed()
  const statements = new Map(concerned.map((one) => [one.text, one]))
  assert.ok(statements.size > 5, 'the statements were recorded')
  for (const plan of await Promise.all(statements.values().map((one) => explain(pool, one))))
    assert.doesNotMatch(plan, new RegExp(`Sort|Seq Scan on ${large.source}`), plan)
})

test('the phone numbers of a finished dry run are removed, and those of a running one are kept', async () => {
  const { id: workspace, call } = await server.workspace()
  const dryRun = async (): Promise<string> =>
    (await call('POST', '/contacts/imports', newImport({ is_dry_run: true }))).body.data.id
  const [ended, running, other] = [await dryRun(), await dryRun(), await dryRun()]
  for (const id of [ended, other]) await call('POST', `/contacts/imports/${id}/cancel`)
  for (const id of [ended, running, other]) {
    await pool.run(
      sql`insert into import_numbers (workspace_id, import_id, phone_number, row_number)
        select ${workspace}, ${id}, n::text, n from generate_series(1, 3) as n`,
    )
  }
  await imports.removeOld(server.at(workspace))
  const left = await pool.many(sql`select distinct import_id from import_numbers where workspace_id = ${workspace}`)
  assert.deepEqual(left, [{ import_id: running }])
})

test('a removal ends after the current batch when the service stops', async () => {
  const tenant = await server.workspace()
  const { id: webhook_id } = (await tenant.call('POST', '/webhooks', newWebhook({ url: 'inbox' }))).body.data
  const now = clock.wall()
  await fillDeliveries(pool, { workspace: tenant.id, webhook_id, rows: 5_000, from_ms: now - day_ms, until_ms: now })
  let batches = 0
  const isStopping = () => {
    batches += 1
    return batches > 1
  }
  await removal.removeOld(server.at(tenant.id), now + 1, isStopping)
  assert.equal(await totalOf(tenant, webhook_id), 3_000)
  assert.equal(await count(sql`webhook_deliveries where workspace_id = ${tenant.id}`), 3_000)
})

test('a webhook is deleted while its deliveries are locked; they disappear at once and are removed later', async () => {
  const tenant = await server.workspace()
  const { id } = (await tenant.call('POST', '/webhooks', newWebhook({ url: 'inbox' }))).body.data
  const now = clock.wall()
  await fillDeliveries(pool, {
    workspace: tenant.id,
    webhook_id: id,
    rows: 5_000,
    from_ms: now - day_ms,
    until_ms: now,
  })
  const { id: waiting } = (await tenant.call('POST', `/webhooks/${id}/test`)).body.data
  const of_webhook = sql`webhook_deliveries where workspace_id = ${tenant.id} and webhook_id = ${id}`
  await using sending = await holdTransaction(pool, (db) => db.run(sql`select from ${of_webhook} for update`))
  assert.equal((await tenant.call('DELETE', `/webhooks/${id}`)).status, 200)
  await sending.end()
  assert.equal((await tenant.call('GET', `/webhooks/${id}/deliveries`)).status, 404)
  assert.equal((await tenant.call('GET', `/webhooks/${id}/deliveries/${waiting}`)).status, 404)
  assert.equal((await tenant.call('POST', `/webhooks/${id}/deliveries/${waiting}/resend`)).status, 404)
  await tenant.work(now + 1_000)
  const [{ status, attempt } = { status: '', attempt: -1 }] = await pool.many<{ status: string; attempt: number }>(
    sql`select status, attempt from ${of_webhook} and id = ${waiting}`,
  )
  assert.deepEqual([status, attempt], ['pending', 0], 'never sent')

  await retention.tidyDeliveries(options)
  assert.equal(await count(of_webhook), 0)
  // As written by a transaction that read the webhook before the deletion and committed after it.
  await fillDeliveries(pool, { workspace: tenant.id, webhook_id: id, rows: 3, from_ms: now, until_ms: now + 3 })
  await retention.tidyDeliveries(options)
  assert.equal(await count(of_webhook), 3)
  await retention.tidyDeliveries({ ...options, now: () => clock.wall() + 61 * 60_000 })
  assert.equal(await count(of_webhook), 0)
  assert.equal(await count(sql`webhook_delivery_counts where webhook_id = ${id}`), 0)
  assert.equal(await count(sql`deleted_webhooks where webhook_id = ${id}`), 0)
})

test('the total of deliveries is stored, and totals by status are counted by an index', async () => {
  const tenant = await server.workspace()
  const { id } = (await tenant.call('POST', '/webhooks', newWebhook({ url: 'inbox' }))).body.data
  const now = clock.wall()
  const old_rows = { workspace: tenant.id, webhook_id: id, rows: 20_000, from_ms: now - day_ms, until_ms: now - 1_000 }
  await fillDeliveries(pool, old_rows)
  const of_webhook = sql`workspace_id = ${tenant.id} and webhook_id = ${id}`
  const fourth = sql`('x' || substr(id::text, 30))::bit(28)::int`
  await pool.run(sql`update webhook_deliveries set status = 'failed' where ${of_webhook} and ${fourth} % 100 = 0`)
  await pool.run(
    sql`update webhook_deliveries set status = 'pending', due_at = ${clock.iso(now + day_ms)}
      where ${of_webhook} and ${fourth} % 100 = 1`,
  )
  await pool.script('vacuum analyze webhook_deliveries')
  const expected = [
    [undefined, 20_000],
    ['failed', 200],
    ['pending', 200],
    ['succeeded', 19_600],
  ] as const
  for (const [status, total] of expected) {
    const statements_run: Sql[] = []
    const query = { limit: 20, offset: 0, ...(status && { status }) }
    const listed = await deliveries.list(
      { ...server.at(tenant.id), db: recordStatements(pool, statements_run) },
      { webhook_id: id, query },
    )
    assert.deepEqual([status, listed.pagination.total, listed.data.length], [status, total, 20])
    for (const plan of await Promise.all(statements_run.map((one) => explain(pool, one)))) {
      assert.doesNotMatch(plan, /Seq Scan on webhook_deliveries/)
      if (/Aggregate/.test(plan)) assert.doesNotMatch(plan, /webhook_deliveries_pkey/, plan)
    }
  }
})

test('each test workspace goes by its own clock, and is left alone while the clock is advancing', async () => {
  const start = Date.parse('2027-03-01T09:00:00.000Z')
  const [ready, advancing] = [await server.workspace(), await server.workspace()]
  for (const { id, call, addTestClock } of [ready, advancing]) {
    await addTestClock(start)
    await call('POST', '/contacts', newContact())
    await call('GET', '/events')
    await pool.run(sql`update test_clocks set now = ${clock.iso(start + 31 * day_ms)} where workspace_id = ${id}`)
  }
  const target = clock.iso(start + 32 * day_ms)
  await advancing.call('POST', '/test_clock/advance', { to: target })
  const left = () =>
    Promise.all(
      [ready, advancing].map(({ id }) => count(sql`events where workspace_id = ${id} and type = 'contact.created'`)),
    )
  assert.deepEqual(await left(), [1, 1])
  await retention.removeExpired(options)
  assert.deepEqual(await left(), [0, 1])
  await advancing.work()
  assert.equal((await advancing.call('GET', '/test_clock')).body.data.now, target)
  assert.deepEqual(await left(), [0, 0])
})
