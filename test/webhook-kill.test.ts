import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import * as contacts from '../server/contacts/store.ts'
import * as clock from '../server/kit/clock.ts'
import { openSeal } from '../server/kit/crypto/seal.ts'
import { openLog } from '../server/kit/log.ts'
import { openOutbound } from '../server/kit/outbound/outbound.ts'
import { sql } from '../server/kit/postgres/sql.ts'
import { seal_info } from '../server/product.ts'
import { openFlights } from '../server/webhooks/attempts-in-flight.ts'
import * as webhooks from '../server/webhooks/store.ts'
import { newTenant, startService } from './faults/service.ts'
import { createDatabase } from './support/harness.ts'
import { receiver } from './support/receivers.ts'
import { newContact } from './support/samples.ts'

const look_every_ms = 20
const contacts_made = 30
const minute_ms = 60_000

const { url, pool } = await createDatabase('webhook_kill')

test('what was sent and can not be noted is not sent again and again', async () => {
  const { workspace } = await newTenant(pool)
  const there = await receiver()
  const seal = openSeal(randomBytes(32).toString('base64'), seal_info)
  const webhook = { url: there.url, events: ['contact.created'] }
  await pool.tx((db) => webhooks.create(db, workspace, webhook, seal, clock.now()))
  await pool.tx((db) => contacts.create(db, workspace, [{ ...newContact(), source: 'api' }], clock.now()))
  const outbound = openOutbound({ allowed: ['127.0.0.1'] })
  const tools = { seal, outbound, address: () => '' }
  const flights = openFlights({ pool, tools, ownAddress: () => '', log: openLog('silent') })
  await pool.script("alter table webhook_deliveries add constraint full_disk check (status <> 'succeeded')")
  flights.send(workspace)
  await flights.settled()
  await flights.look()
  await flights.settled()
  assert.equal(there.received.length, 1)
  await pool.script('alter table webhook_deliveries drop constraint full_disk')
  await flights.stop()
  await outbound.close()
})

test('what a killed server has sent without noting it is sent again, and the rest too', async () => {
  await using stack = new AsyncDisposableStack()
  const { workspace, key } = await newTenant(pool)
  const environment = {
    DATABASE_URL: url,
    SECRETS_KEY: randomBytes(32).toString('base64'),
    WEBHOOK_ALLOW_HOSTS: '127.0.0.1',
  }
  const first = await startService(stack, environment)
  const call = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const response = await fetch(`${first.url}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    assert.equal(response.status, 201)
    return JSON.parse(await response.text()).data
  }
  // The first that it gets kill the server before they are answered: they have been sent, and nobody has noted it.
  let is_open = false
  const there = await receiver((response) => {
    if (is_open) response.writeHead(200).end()
  })
  const { id, secret } = await call('/webhooks', { url: there.url, events: ['contact.created'] })
  await Promise.all(Array.from({ length: contacts_made }, () => call('/contacts', newContact())))
  while (there.received.length === 0) await sleep(look_every_ms)
  await first.kill()
  const before = there.received.splice(0)
  const states = () =>
    pool.many<{ status: string; attempt: number }>(
      sql`select status, attempt from webhook_deliveries where workspace_id = ${workspace} and webhook_id = ${id}`,
    )
  const left = await states()
  assert.ok(left.every(({ status, attempt }) => status === 'pending' && attempt === 0))
  const { lease_until } = await pool.one<{ lease_until: string }>(
    sql`select lease_until from webhook_senders where workspace_id = ${workspace}`,
  )
  assert.ok(clock.parse(lease_until) <= clock.now() + minute_ms, 'others may take them up within a minute')
  // Which passes here at once.
  await pool.run(
    sql`update webhook_senders set lease_until = lease_until - interval '1 minute' where workspace_id = ${workspace}`,
  )

  is_open = true
  const second = await startService(stack, environment)
  while ((await states()).some(({ status }) => status !== 'succeeded')) await sleep(look_every_ms)
  const bodies = new Map(there.received.map(({ headers, body }) => [headers['webhook-id'], body]))
  assert.equal(bodies.size, contacts_made, 'none is lost')
  for (const { headers, body } of before) assert.equal(bodies.get(headers['webhook-id']), body, 'the same bytes again')
  for (const { headers, body } of there.received) assert.ok(new Webhook(secret).verify(body, headers))
  await second.stop()
})
