import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../../server/config.ts'
import { atWall } from '../../server/kit/at.ts'
import * as clock from '../../server/kit/clock.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { openService } from '../../server/service.ts'
import { newTenant, startService } from '../faults/service.ts'
import { createDatabase } from '../support/harness.ts'
import { serveInProcess } from '../support/process.ts'
import { receiver } from '../support/receivers.ts'
import { addTestClock, attemptTimes } from '../support/test-clocks.ts'

const start = Date.parse('2027-03-01T09:00:00.000Z')
const attempts_before_kill = 4
const poll_every_ms = 20

const { url, pool } = await createDatabase('test_clock_kill')

test('an advance continues to its target after its server was killed, with the same attempts', async () => {
  await using stack = new AsyncDisposableStack()
  const { workspace, key } = await newTenant(pool)
  const environment = {
    DATABASE_URL: url,
    SECRETS_KEY: randomBytes(32).toString('base64'),
    OUTBOUND_ALLOW_HOSTS: '127.0.0.1',
  }
  const service = openService(pool, readConfig(environment), () => '')
  await addTestClock(atWall(service, workspace, start))
  await service.tools.outbound.close()

  const first = await startService(stack, environment)
  let { url: address } = first
  const call = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const response = await fetch(`${address}/api/v1${path}`, { method, headers, body: JSON.stringify(body) })
    const text = await response.text()
    assert.ok(response.ok, text)
    return JSON.parse(text).data
  }
  // The server is killed while it waits for this response.
  const target = await receiver((response) => {
    if (target.received.length !== attempts_before_kill) response.writeHead(500).end()
  })
  const { id } = await call('POST', '/webhooks', { url: target.url, events: ['contact.created'] })
  await call('POST', '/contacts', { phone_number: '+14155550100' })
  while (target.received.length === 0) await sleep(poll_every_ms)
  await call('POST', '/test_clock/advance', { by_seconds: 5 * 24 * 3_600 })
  while (target.received.length < attempts_before_kill) await sleep(poll_every_ms)
  const expected = attemptTimes(start)
  const killed_at = await call('GET', '/test_clock')
  assert.deepEqual([killed_at.status, killed_at.now], ['advancing', expected[attempts_before_kill - 1]])
  await first.kill()
  // Instead of waiting until the leases expire.
  for (const table of [sql`test_clocks`, sql`webhook_senders`])
    await pool.run(sql`update ${table} set lease_until = ${clock.iso(0)} where workspace_id = ${workspace}`)

  address = await serveInProcess(stack, environment)
  while ((await call('GET', '/test_clock')).status === 'advancing') await sleep(poll_every_ms)
  const [delivery] = await call('GET', `/webhooks/${id}/deliveries`)
  const { status, attempts } = await call('GET', `/webhooks/${id}/deliveries/${delivery.id}`)
  assert.equal(status, 'failed')
  assert.deepEqual(
    attempts.map(({ created_at }: { created_at: string }) => created_at),
    expected,
  )
  assert.equal((await call('GET', '/test_clock')).now, clock.iso(start + 5 * clock.day_ms))
  // The interrupted attempt is repeated.
  assert.equal(target.received.length, expected.length + 1)
})
