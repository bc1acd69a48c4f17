import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { sql } from '../../server/kit/postgres/sql.ts'
import { waitUntil } from '../faults/client.ts'
import { startService } from '../faults/service.ts'
import { createDatabase, openServer, testPool } from '../support/harness.ts'
import { receiver } from '../support/receivers.ts'
import { newTool } from '../support/samples.ts'

const secrets_key = randomBytes(32).toString('base64')
const { url: database_url, pool } = await createDatabase('remote_key_kill')
const environment = { DATABASE_URL: database_url, SECRETS_KEY: secrets_key, OUTBOUND_ALLOW_HOSTS: '127.0.0.1' }
const survivor = await openServer(testPool(database_url), { secrets_key, outbound_allow_hosts: ['127.0.0.1'] })
after(survivor.close)

const body = { arguments: { day: 'tue' } }

test('after a kill during a request, nobody runs it again, and after a minute its outcome is unknown', async () => {
  await using stack = new AsyncDisposableStack()
  const tenant = await survivor.workspace()
  const { url, received } = await receiver(() => {})
  const { id } = (await tenant.call('POST', '/tools', newTool({ url }))).body.data
  const killed = await startService(stack, environment)
  const headers = { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json', 'idempotency-key': 'k' }
  const lost = fetch(`${killed.url}/api/v1/tools/${id}/test`, { method: 'POST', headers, body: JSON.stringify(body) })
  lost.catch(() => {})
  await waitUntil('the tool is called', () => received.length > 0)
  await killed.kill()
  await assert.rejects(lost)
  const repeat = () => tenant.call('POST', `/tools/${id}/test`, body, { 'idempotency-key': 'k' })
  const taken = await repeat()
  assert.deepEqual([taken.status, taken.body.error.code], [409, 'IDEMPOTENCY_IN_PROGRESS'])
  await pool.run(sql`update idempotency_keys set expires_at = expires_at - interval '1 minute'`)
  for (const _ of [1, 2]) {
    const { status, body: answer } = await repeat()
    assert.deepEqual([status, answer.error.code, answer.error.details.reason], [409, 'INVALID_STATE', 'unknown'])
  }
  assert.equal(received.length, 1)
})
