import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../../server/kit/postgres/sql.ts'
import { startService } from '../faults/service.ts'
import { addContacts, createCampaign, enroll } from '../support/campaigns.ts'
import { createDatabase, openServer, testPool } from '../support/harness.ts'
import { serveInProcess } from '../support/process.ts'

const contacts_count = 20_000

const { url, pool } = await createDatabase('enrolling_kill')

test('enrolling continues after its server was killed, without losing or repeating a contact', async () => {
  await using stack = new AsyncDisposableStack()
  const environment = { DATABASE_URL: url, SECRETS_KEY: randomBytes(32).toString('base64') }
  const setup = await openServer(testPool(url))
  const tenant = await setup.workspace()
  const { id } = await createCampaign(tenant)
  await addContacts({ pool }, tenant.id, contacts_count)
  assert.equal((await enroll(tenant, id, { filter: {} })).status, 202)
  await setup.close()
  const state = () =>
    pool.one<{ enrolled: number; contacts: number; counted: number; enrollings: number }>(
      sql`select (select count(*) from enrollments where workspace_id = ${tenant.id}) as enrolled,
        (select count(distinct contact_id) from enrollments where workspace_id = ${tenant.id}) as contacts,
        (select sum(total)::bigint from campaign_counts where workspace_id = ${tenant.id}) as counted,
        (select count(*) from campaign_enrollings where workspace_id = ${tenant.id}) as enrollings`,
    )
  const first = await startService(stack, environment)
  while ((await state()).enrolled <= 1_000) await sleep(10)
  await first.kill()
  const left = await state()
  assert.deepEqual([left.counted, left.contacts, left.enrollings], [left.enrolled, left.enrolled, 1])
  assert.ok(left.enrolled < contacts_count, 'the server was killed before the end')
  await serveInProcess(stack, environment)
  while ((await state()).enrollings > 0) await sleep(20)
  const all = contacts_count
  assert.deepEqual(await state(), { enrolled: all, contacts: all, counted: all, enrollings: 0 })
})
