import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { readConfig } from '../../server/config.ts'
import { event_types } from '../../server/contacts/event-types.ts'
import * as events from '../../server/events/store.ts'
import { atWall, inTransaction } from '../../server/kit/at.ts'
import * as clock from '../../server/kit/clock.ts'
import { firstIdOf, newId } from '../../server/kit/id.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { openService } from '../../server/service.ts'
import { waitUntil } from '../faults/client.ts'
import { newTenant, startService } from '../faults/service.ts'
import { createDatabase } from '../support/harness.ts'
import { receiver } from '../support/receivers.ts'

const missed = 20_000

const { url, pool } = await createDatabase('recovery_kill')

test('a recovery continues after its server was killed, and counts each delivery once', async () => {
  await using stack = new AsyncDisposableStack()
  const { workspace, key } = await newTenant(pool)
  const environment = {
    DATABASE_URL: url,
    SECRETS_KEY: randomBytes(32).toString('base64'),
    OUTBOUND_ALLOW_HOSTS: '127.0.0.1',
  }
  const first = await startService(stack, environment)
  const call = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const response = await fetch(`${first.url}/api/v1${path}`, { method, headers, body: JSON.stringify(body) })
    assert.ok(response.ok)
    return JSON.parse(await response.text()).data
  }
  // It never answers, so that sending takes no time from the recovery.
  const target = await receiver(() => {})
  const { id } = await call('POST', '/webhooks', { url: target.url, events: ['contact.created'] })
  await call('PATCH', `/webhooks/${id}`, { status: 'disabled' })
  const service = openService(pool, readConfig(environment), () => '')
  const contacts = Array.from({ length: missed }, () => ({ data: { id: newId() } }))
  await inTransaction(atWall(service, workspace), async (at) => {
    await events.recordMany(at, event_types.created, contacts)
    // Another test of this process may have moved its clock, and with it the times in ids.
    const time = firstIdOf(clock.wall()).slice(0, 13)
    await at.db.run(
      sql`update events set id = overlay(id::text placing ${time} from 1 for 13)::uuid where workspace_id = ${workspace}
          and type = ${event_types.created.name}`,
    )
  })
  await service.tools.outbound.close()
  await call('PATCH', `/webhooks/${id}`, { status: 'active' })

  await call('POST', `/webhooks/${id}/recover`, { since: clock.iso(0) })
  const state = () =>
    pool.one<{ is_finished: boolean; recovered: number; deliveries: number; counted: number }>(
      sql`select finished_at is not null as is_finished, recovered,
          (select count(*) from webhook_deliveries where workspace_id = ${workspace}) as deliveries,
          (select coalesce(sum(total), 0)::bigint from webhook_delivery_counts where workspace_id = ${workspace}) as counted
        from webhook_recoveries where workspace_id = ${workspace}`,
    )
  const details = async () =>
    `${JSON.stringify(await pool.many(sql`select * from webhook_recoveries`))}\n${first.running.stderr()}`
  await waitUntil('the recovery begins', async () => (await state()).recovered > 0, details)
  await first.kill()
  const { recovered, ...left } = await state()
  assert.deepEqual(left, { is_finished: false, deliveries: recovered, counted: recovered })
  assert.ok(recovered < missed, 'the server was killed before the end')
  // Instead of waiting until the lease expires.
  await pool.run(sql`update webhook_recoveries set lease_until = ${clock.iso(0)} where workspace_id = ${workspace}`)

  const second = await startService(stack, environment)
  await waitUntil('the recovery ends', async () => (await state()).is_finished)
  assert.deepEqual(await state(), { is_finished: true, recovered: missed, deliveries: missed, counted: missed })
  await second.stop()
})
