import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as clock from '../../server/kit/clock.ts'
import { newSigningSecret } from '../../server/kit/crypto/signing.ts'
import { newId } from '../../server/kit/id.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { get } from '../support/contacts.ts'
import { serve } from '../support/harness.ts'
import { createIntegration, outcomeOf, receiptsOf, signed } from '../support/integrations.ts'
import { phoneNumber } from '../support/samples.ts'

const { workspace, pool } = await serve()

test('a message signed by the standardwebhooks library is accepted, and a changed one is rejected', async () => {
  const tenant = await workspace()
  const secret = newSigningSecret()
  const made = await createIntegration(tenant, { signing_secret: secret })
  const body = JSON.stringify({ phone: phoneNumber() })
  const headers = signed(secret, body)
  const another = signed(newSigningSecret(), body, { id: headers['webhook-id'] ?? '' })
  const both = `${another['webhook-signature']} v2,AAAA ${headers['webhook-signature']}`
  const wrong: [string, string, Record<string, string>][] = [
    ['a changed byte', body.replace('+', '1'), headers],
    ['an extra space', `${body} `, headers],
    ['another secret', body, another],
    ['another id', body, { ...headers, 'webhook-id': newId() }],
    ['another timestamp', body, { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 1) }],
    ['five minutes ago', body, signed(secret, body, { at_ms: clock.wall() - 302_000 })],
    ['in five minutes', body, signed(secret, body, { at_ms: clock.wall() + 330_000 })],
    ['no timestamp', body, { ...headers, 'webhook-timestamp': '' }],
    ['a timestamp that is not a number', body, { ...headers, 'webhook-timestamp': 'now' }],
    ['non-ASCII letters', body, { ...headers, 'webhook-signature': `v1,${'é'.repeat(44)}` }],
    ['no signature', body, { ...headers, 'webhook-signature': '' }],
    [
      'another version',
      body,
      { ...headers, 'webhook-signature': (headers['webhook-signature'] ?? '').replace('v1', 'v2') },
    ],
    ['no headers', body, { 'content-type': 'application/json' }],
  ]
  for (const [name, text, sent_headers] of wrong) {
    assert.deepEqual(outcomeOf(await tenant.send(made.url, text, sent_headers)), [401, 'UNAUTHORIZED'], name)
  }
  const refused = await receiptsOf(tenant, made)
  assert.equal(refused.length, wrong.length)
  assert.ok(
    refused.every(({ payload, outcome }: { payload: unknown; outcome: string }) => !payload && outcome === 'refused'),
  )
  const answer = await tenant.send(made.url, body, { ...headers, 'webhook-signature': both })
  assert.deepEqual(outcomeOf(answer), [200, 'created'])
})

test('messages with the same webhook-id take effect once, also concurrent ones', async () => {
  const tenant = await workspace()
  const secret = newSigningSecret()
  const made = await createIntegration(tenant, { signing_secret: secret })
  const body = JSON.stringify({ phone: phoneNumber(), name: 'Ada' })
  const headers = signed(secret, body)
  const answers = await Promise.all(Array.from({ length: 20 }, () => tenant.send(made.url, body, headers)))
  const outcomes = answers.map((answer) => answer.body.data.outcome).sort()
  assert.deepEqual(outcomes, ['created', ...Array.from({ length: 19 }, () => 'repeated')])
  assert.equal(new Set(answers.map((answer) => answer.body.data.receipt_id)).size, 1)
  const [receipt, ...more] = await receiptsOf(tenant, made)
  assert.deepEqual(more, [])
  await tenant.call('PATCH', `/contacts/${receipt.contact_id}`, { first_name: 'Augusta' })
  const again = await tenant.send(made.url, body, signed(secret, body, { id: headers['webhook-id'] ?? '' }))
  assert.deepEqual(outcomeOf(again), [200, 'repeated'])
  assert.equal((await get(tenant, receipt.contact_id)).first_name, 'Augusta')
})

test('a refused message is accepted when it is sent again after the field map was corrected', async () => {
  const tenant = await workspace()
  const secret = newSigningSecret()
  const made = await createIntegration(tenant, { signing_secret: secret, field_map: {} })
  const body = JSON.stringify({ phone: phoneNumber() })
  const headers = signed(secret, body)
  assert.deepEqual(outcomeOf(await tenant.send(made.url, body, headers)), [400, 'VALIDATION_ERROR'])
  await tenant.call('PATCH', `/integrations/${made.id}`, { field_map: { phone_number: '/phone' } })
  assert.deepEqual(outcomeOf(await tenant.send(made.url, body, headers)), [200, 'created'])
})

test('a signing secret can be set and removed, and is never returned', async () => {
  const tenant = await workspace()
  const secret = newSigningSecret()
  const made = await createIntegration(tenant)
  const address = `/integrations/${made.id}`
  const set = await tenant.call('PATCH', address, { signing_secret: secret })
  assert.equal(set.body.data.is_signed, true)
  assert.ok(!set.text.includes(secret))
  assert.deepEqual(outcomeOf(await tenant.send(made.url, { phone: phoneNumber() })), [401, 'UNAUTHORIZED'])
  await tenant.call('PATCH', address, { name: 'Form' })
  assert.equal((await tenant.call('GET', address)).body.data.is_signed, true)
  await tenant.call('PATCH', address, { signing_secret: null })
  assert.deepEqual(outcomeOf(await tenant.send(made.url, { phone: phoneNumber() })), [200, 'created'])
})

test('token and signing secret are stored encrypted', async () => {
  const tenant = await workspace()
  const secret = newSigningSecret()
  const made = await createIntegration(tenant, { signing_secret: secret })
  const token = made.url.split('/').at(-1) ?? ''
  const kept = await pool.one<{ text: string }>(
    sql`select integrations::text as text from integrations where workspace_id = ${tenant.id}`,
  )
  assert.equal(token.length, 43)
  assert.ok(!kept.text.includes(token) && !kept.text.includes(secret))
})

test('with another SECRETS_KEY the URL still works but is not shown, and the signing secret must be set again', async () => {
  const tenant = await workspace()
  const signing_secret = newSigningSecret()
  const made = await createIntegration(tenant, { signing_secret })
  const other = await serve({ secrets_key: 'another key of at least 32 characters' })
  const call = (method: string, path: string, body?: object) =>
    other.fetch(method, `/api/v1/integrations${path}`, body, { authorization: `Bearer ${tenant.key}` })
  assert.equal((await call('GET', '')).body.data[0].url, null)
  assert.equal((await call('GET', `/${made.id}`)).body.data.url, null)
  const send = () => {
    const body = JSON.stringify({ phone: phoneNumber() })
    return other.fetch('POST', new URL(made.url).pathname, body, signed(signing_secret, body))
  }
  const refused = await send()
  assert.deepEqual(outcomeOf(refused), [401, 'UNAUTHORIZED'])
  assert.match(refused.body.error.message, /SECRETS_KEY/)
  assert.equal((await call('PATCH', `/${made.id}`, { signing_secret })).status, 200)
  assert.deepEqual(outcomeOf(await send()), [200, 'created'])
})
