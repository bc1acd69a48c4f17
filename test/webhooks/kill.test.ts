import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { readConfig } from '../../server/config.ts'
import * as contacts from '../../server/contacts/store.ts'
import { atWall, inTransaction } from '../../server/kit/at.ts'
import * as clock from '../../server/kit/clock.ts'
import { openLog } from '../../server/kit/log.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { Engine } from '../../server/kit/work/engine.ts'
import { openService } from '../../server/service.ts'
import { sending } from '../../server/webhooks/sending.ts'
import * as webhooks from '../../server/webhooks/store.ts'
import { newTenant, startService } from '../faults/service.ts'
import { createDatabase } from '../support/harness.ts'
import { movedTime } from '../support/moved-time.ts'
import { serveInProcess } from '../support/process.ts'
import { receiver } from '../support/receivers.ts'
import { newContact } from '../support/samples.ts'

const check_every_ms = 20
const contact_count = 30
const minute_ms = 60_000

const { url, pool } = await createDatabase('webhook_kill')
const environment = {
  DATABASE_URL: url,
  SECRETS_KEY: randomBytes(32).toString('base64'),
  OUTBOUND_ALLOW_HOSTS: '127.0.0.1',
}

test("a delivery whose result can't be recorded is not sent again at once", async () => {
  const { workspace } = await newTenant(pool)
  const target = await receiver()
  const service = openService(pool, readConfig(environment), () => '')
  await inTransaction(atWall(service, workspace), async (at) => {
    await webhooks.create(at, { url: target.url, events: ['contact.created'] })
    await contacts.create(at, [{ ...newContact(), source: 'api' }])
  })
  const work = sending({ seal: service.tools.seal, ownAddress: () => '' })
  const engine = new Engine(work, { service, log: openLog('silent') })
  await pool.script("alter table webhook_deliveries add constraint full_disk check (status <> 'succeeded')")
  for (const is_polled of [false, true]) {
    engine.add(workspace, { is_polled })
    await engine.idle(workspace)
  }
  assert.equal(target.received.length, 1)
  await pool.script('alter table webhook_deliveries drop constraint full_disk')
  await engine.stop()
  await service.tools.outbound.close()
})

test('after a server is killed, its unrecorded deliveries are sent again, and all others too', async () => {
  await using stack = new AsyncDisposableStack()
  const { workspace, key } = await newTenant(pool)
  const first = await startService(stack, environment)
  const call = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const response = await fetch(`${first.url}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    assert.equal(response.status, 201)
    return JSON.parse(await response.text()).data
  }
  // The server is killed before the first requests are answered: they were sent, but not recorded.
  let is_open = false
  const target = await receiver((response) => {
    if (is_open) response.writeHead(200).end()
  })
  const { id, secret } = await call('/webhooks', { url: target.url, events: ['contact.created'] })
  await Promise.all(Array.from({ length: contact_count }, () => call('/contacts', newContact())))
  while (target.received.length === 0) await sleep(check_every_ms)
  await first.kill()
  const before = target.received.splice(0)
  const states = () =>
    pool.many<{ status: string; attempt: number }>(
      sql`select status, attempt from webhook_deliveries where workspace_id = ${workspace} and webhook_id = ${id}`,
    )
  const left = await states()
  assert.ok(left.every(({ status, attempt }) => status === 'pending' && attempt === 0))
  const { lease_until } = await pool.one<{ lease_until: string }>(
    sql`select lease_until from webhook_senders where workspace_id = ${workspace}`,
  )
  assert.ok(clock.parse(lease_until) <= clock.wall() + minute_ms, 'another process may send within a minute')
  // Instead of waiting for that minute.
  await pool.run(
    sql`update webhook_senders set lease_until = ${movedTime('lease_until', '-1 minute')} where workspace_id = ${workspace}`,
  )

  is_open = true
  await serveInProcess(stack, environment)
  while ((await states()).some(({ status }) => status !== 'succeeded')) await sleep(check_every_ms)
  const bodies = new Map(target.received.map(({ headers, body }) => [headers['webhook-id'], body]))
  assert.equal(bodies.size, contact_count, 'none is lost')
  for (const { headers, body } of before) assert.equal(bodies.get(headers['webhook-id']), body, 'the same bytes again')
  for (const { headers, body } of target.received) assert.ok(new Webhook(secret).verify(body, headers))
})
