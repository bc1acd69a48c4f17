import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openPool } from '../../server/kit/postgres/pool.ts'
import { addContacts, createCampaign, enroll, getCampaign } from '../support/campaigns.ts'
import { createDatabase, openServer, type Server } from '../support/harness.ts'
import { rowsRead } from '../support/readers.ts'

test('canceling a campaign does not read all enrollments for each, also with old statistics', async () => {
  const { url } = await createDatabase('cancel')
  /** One connection, so that its counters can be flushed and read. Its errors are ignored: the database is dropped first. */
  const pool = openPool({ url, size: 1, onError: () => {} })
  const server = await openServer(pool)
  after(server.close)
  // PostgreSQL has statistics of one workspace and assumes that any other is empty.
  await pool.script('alter table enrollments set (autovacuum_enabled = false)')
  await newCampaign(server, 3_000)
  await pool.script('analyze enrollments')
  const count = 1_500
  const { tenant, id } = await newCampaign(server, count)
  assert.equal((await getCampaign(tenant, id)).counts.enrolled, count)

  const before = await rowsRead(pool, 'enrollments')
  assert.equal((await tenant.call('POST', `/campaigns/${id}/cancel`)).status, 200)
  await tenant.work()
  assert.equal((await getCampaign(tenant, id)).counts.by_status.canceled, count)
  const read = (await rowsRead(pool, 'enrollments')) - before
  assert.ok(read >= count && read <= 20 * count, `${read} enrollments were read`)
})

async function newCampaign(server: Server, count: number) {
  const tenant = await server.workspace()
  await addContacts(server, tenant.id, count)
  const { id } = await createCampaign(tenant)
  await enroll(tenant, id, { filter: {} })
  await tenant.work()
  return { tenant, id }
}
