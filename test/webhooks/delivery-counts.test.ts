import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as clock from '../../server/kit/clock.ts'
import { newId } from '../../server/kit/id.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { addToCounts, deliveryCount, sumUpCounts } from '../../server/webhooks/delivery-counts.ts'
import { removeOld } from '../../server/webhooks/retention.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { fillDeliveries } from '../support/old-rows.ts'
import { runs } from '../support/property-runs.ts'
import { newContact, phoneNumber } from '../support/samples.ts'
import { createWebhook } from '../support/webhook-calls.ts'

const { workspace, pool, at } = await serve()

const workers = 8
const changes_each = runs(0.2).numRuns
const kinds = 8

const below = (limit: number): number => Math.floor(Math.random() * limit)
const isStopping = () => false

/** Makes random changes of each kind that adds or removes deliveries. */
async function change({ id, call, work }: Tenant, webhook_ids: string[]): Promise<void> {
  for (let count = 0; count < changes_each; count += 1) {
    const address = `/webhooks/${webhook_ids[below(webhook_ids.length)]}`
    const kind = below(kinds)
    if (kind < 3) await call('POST', '/contacts', newContact())
    else if (kind === 3) await call('POST', `${address}/test`)
    else if (kind === 4) await call('PATCH', address, { status: below(2) ? 'active' : 'disabled' })
    else if (kind === 5) await call('POST', `${address}/recover`, { since: clock.iso(clock.wall() - 1_000) })
    else if (kind === 6) {
      const rows = Array.from({ length: 5 }, () => ({ Phone: phoneNumber() }))
      await call('POST', '/contacts/imports', { rows })
      await work()
    } else if (below(2)) await removeOld(at(id), clock.wall() - 500)
    else await sumUpCounts(at(id), isStopping)
  }
}

test("the number of a webhook's deliveries is exact after concurrent random changes", async () => {
  const tenant = await workspace()
  const created = await Promise.all(
    ['*', 'contact.*', 'webhook.*'].map((one) => createWebhook(tenant, 'inbox', { events: [one] })),
  )
  const webhook_ids = created.map(({ id }) => id)
  await Promise.all(Array.from({ length: workers }, () => change(tenant, webhook_ids)))
  for (const webhook_id of webhook_ids) {
    const of_webhook = sql`workspace_id = ${tenant.id} and webhook_id = ${webhook_id}`
    const { all, pending, succeeded, failed } = await pool.one<Record<string, number>>(
      sql`select count(*) as all, count(*) filter (where status = 'pending') as pending,
          count(*) filter (where status = 'succeeded') as succeeded, count(*) filter (where status = 'failed') as failed
        from webhook_deliveries where ${of_webhook}`,
    )
    const totals = await Promise.all(
      ['', '?status=pending', '?status=succeeded', '?status=failed'].map((query) =>
        tenant.call('GET', `/webhooks/${webhook_id}/deliveries${query}`),
      ),
    )
    assert.deepEqual(
      totals.map(({ body }) => body.pagination.total),
      [all, pending, succeeded, failed],
    )
  }
})

test('counts stay exact when two processes sum them up while others add to them', async () => {
  const tenant = await workspace()
  const webhook_id = newId()
  const add = async () => {
    for (let count = 0; count < 150; count += 1)
      await addToCounts(at(tenant.id), { webhook_ids: [webhook_id], each: 2 })
  }
  await add()
  await Promise.all([
    add(),
    ...Array.from({ length: 2 }, async () => {
      for (let times = 0; times < 10; times += 1) await sumUpCounts(at(tenant.id), isStopping)
    }),
  ])
  await sumUpCounts(at(tenant.id), isStopping)
  const { total } = await pool.one<{ total: number }>(sql`select ${deliveryCount(tenant.id, webhook_id)} as total`)
  assert.equal(total, 600)
  const rows = await pool.many(sql`select id from webhook_delivery_counts where webhook_id = ${webhook_id}`)
  assert.ok(rows.length <= 151, `${rows.length} rows`)
})

test('deliveries of the current hour and the 23 before it are counted by the hour', async () => {
  const tenant = await workspace(Date.parse('2027-03-01T09:30:00.000Z'))
  const { id } = await createWebhook(tenant, 'inbox', { events: ['contact.*'] })
  const path = `/webhooks/${id}`
  const create = async (created_at: string) => {
    const { body } = await tenant.call('POST', `${path}/test`)
    await pool.run(
      sql`update webhook_deliveries set created_at = ${created_at}
        where workspace_id = ${tenant.id} and webhook_id = ${id} and id = ${body.data.id}`,
    )
  }
  for (const created_at of [
    '2027-03-01T09:30:00.000Z',
    '2027-03-01T09:00:00.000Z',
    '2027-03-01T08:59:59.999Z',
    '2027-02-28T10:00:00.000Z',
    '2027-02-28T09:59:59.999Z',
  ])
    await create(created_at)
  const { data } = (await tenant.call('GET', `${path}/delivery_counts`)).body
  assert.equal(data.is_complete, true)
  assert.equal(data.hours.length, 24)
  assert.deepEqual(
    data.hours.flatMap(({ start, pending }: { start: string; pending: number }) =>
      pending > 0 ? [[start, pending]] : [],
    ),
    [
      ['2027-02-28T10:00:00.000Z', 1],
      ['2027-03-01T08:00:00.000Z', 1],
      ['2027-03-01T09:00:00.000Z', 2],
    ],
  )
  await tenant.call('PATCH', path, { status: 'disabled' })
  await tenant.work()
  const failed = (await tenant.call('GET', `${path}/delivery_counts`)).body.data.hours.at(-1)
  assert.deepEqual([failed.failed, failed.pending, failed.succeeded], [2, 0, 0])
})

test('a count says whether it has all deliveries of the 24 hours', async () => {
  const tenant = await workspace()
  const { id: webhook_id } = await createWebhook(tenant, 'inbox', { events: ['contact.*'] })
  const now = clock.wall()
  const isComplete = async (): Promise<boolean> =>
    (await tenant.call('GET', `/webhooks/${webhook_id}/delivery_counts`)).body.data.is_complete
  const this_hour = { workspace: tenant.id, webhook_id, from_ms: now - 1_000, until_ms: now }
  await fillDeliveries(pool, { ...this_hour, rows: 9_999 })
  assert.equal(await isComplete(), true)
  await fillDeliveries(pool, { ...this_hour, rows: 1, from_ms: now + 1_000, until_ms: now + 1_000 })
  assert.equal(await isComplete(), false, 'there may be older ones')
  await pool.run(
    sql`update webhook_deliveries set created_at = created_at - interval '2 days'
      where workspace_id = ${tenant.id} and webhook_id = ${webhook_id}
      and id = (select id from webhook_deliveries
        where workspace_id = ${tenant.id} and webhook_id = ${webhook_id} order by id limit 1)`,
  )
  assert.equal(await isComplete(), true, 'the oldest one is from before')
})
