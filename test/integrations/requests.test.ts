import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openApi } from '../../server/api.ts'
import { readConfig } from '../../server/config.ts'
import * as integrations from '../../server/integrations/store.ts'
import * as clock from '../../server/kit/clock.ts'
import { openLog } from '../../server/kit/log.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { create, eventsOf } from '../support/contacts.ts'
import { type Answer, migrations, serve, testPool } from '../support/harness.ts'
import { holdTransaction } from '../support/held-transaction.ts'
import { type CreatedIntegration, createIntegration, outcomeOf, receiptsOf } from '../support/integrations.ts'
import { waitingFor } from '../support/lock-waits.ts'
import { phoneNumber } from '../support/samples.ts'
import { secrets_key } from '../support/served.ts'

const { workspace, fetch, pool, at } = await serve({ secrets_key })

test('a thousand waiting posts to one URL block neither the workspace nor its other URLs', async () => {
  const own_pool = testPool()
  const { app } = openApi(
    own_pool,
    readConfig({ LOG_LEVEL: 'silent', RATE_LIMIT_PER_SECOND: '0', SECRETS_KEY: secrets_key }),
    migrations,
    openLog('silent'),
  )
  after(async () => {
    await app.close()
    await own_pool.close()
  })
  const tenant = await workspace()
  const [flooded, other] = [await createIntegration(tenant), await createIntegration(tenant)]
  const contact = await create(tenant)
  const authorization = `Bearer ${tenant.key}`
  const post = ({ url }: CreatedIntegration) =>
    app.inject({ method: 'POST', url: new URL(url).pathname, body: { phone: phoneNumber(), name: 'Ada' } })
  await using held = await holdTransaction(pool, (db) =>
    db.run(sql`select 1 from integrations where workspace_id = ${tenant.id} and id = ${flooded.id} for update`),
  )
  const flood = Array.from({ length: 1_200 }, () => post(flooded))
  await waitingFor(pool, held.pid, 2)
  const own = [
    await app.inject({ method: 'DELETE', url: `/api/v1/contacts/${contact.id}`, headers: { authorization } }),
    await app.inject({ url: '/api/v1/contacts', headers: { authorization } }),
    await post(other),
  ]
  assert.deepEqual(
    own.map(({ statusCode }) => statusCode),
    [200, 200, 200],
  )
  await held.end()
  const statuses = new Set((await Promise.all(flood)).map(({ statusCode }) => statusCode))
  // On a busy machine all of them may have waited too long.
  statuses.delete(200)
  assert.deepEqual([...statuses], [503])
  assert.equal((await post(flooded)).statusCode, 200)
})

test('twenty identical concurrent requests create one contact', async () => {
  const tenant = await workspace()
  const made = await createIntegration(tenant, { field_map: { phone_number: '/phone', crm_ids: { hubspot: '/id' } } })
  const payload = { phone: phoneNumber(), id: 'A1' }
  const answers = await Promise.all(Array.from({ length: 20 }, () => tenant.send(made.url, payload)))
  const outcomes = answers.map((answer) => answer.body.data.outcome).sort()
  assert.deepEqual(outcomes, ['created', ...Array.from({ length: 19 }, () => 'unchanged')])
  assert.equal(new Set(answers.map(({ body }) => body.data.contact_id)).size, 1)
  assert.equal((await tenant.call('GET', '/contacts')).body.pagination.total, 1)
  assert.equal((await receiptsOf(tenant, made)).length, 20)
})

test('twenty different concurrent requests with one number leave one contact with the last values', async () => {
  const tenant = await workspace()
  const made = await createIntegration(tenant)
  const phone = phoneNumber()
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, count) => tenant.send(made.url, { phone, name: `Name ${count}` })),
  )
  assert.deepEqual(
    answers.map(({ status }) => status),
    Array.from({ length: 20 }, () => 200),
  )
  const { body } = await tenant.call('GET', '/contacts')
  assert.equal(body.pagination.total, 1)
  assert.match(body.data[0].first_name, /^Name \d+$/)
  const events = await eventsOf(pool, tenant)
  assert.equal(events.filter(({ type }) => type === 'contact.created').length, 1)
  assert.equal(events.length, 20)
})

const bodies: [string, string | Buffer, Record<string, string>, number, string][] = [
  ['invalid JSON', '{', {}, 400, 'not valid JSON'],
  ['an empty body', '', {}, 400, 'JSON body is required'],
  ['a body that is not UTF-8', Buffer.from([0x22, 0xff, 0x22]), {}, 400, 'not UTF-8'],
  ['5,000 nested lists', '['.repeat(5_000) + ']'.repeat(5_000), {}, 400, 'levels deep'],
  ['5,000 nested objects', `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`, {}, 400, 'levels deep'],
  ['a URL-encoded form', 'phone=1', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'JSON'],
  ['a multipart form', '--x\r\n', { 'content-type': 'multipart/form-data; boundary=x' }, 415, 'JSON'],
  ['a body without a content type', '{}', { 'content-type': '' }, 415, 'JSON'],
  ['a compressed body', '{}', { 'content-encoding': 'gzip' }, 415, 'not compressed'],
]
for (const [name, body, headers, status, message] of bodies) {
  test(`${name} is refused with ${status} and a receipt`, async () => {
    const tenant = await workspace()
    const made = await createIntegration(tenant)
    const answer = await tenant.send(made.url, body, { 'content-type': 'application/json', ...headers })
    assert.equal(answer.status, status, answer.text)
    assert.ok(answer.body.error.message.includes(message), answer.text)
    const [receipt] = await receiptsOf(tenant, made)
    assert.deepEqual([receipt.outcome, receipt.payload, receipt.contact_id], ['refused', null, null])
    assert.ok(receipt.reasons[0].includes(message))
  })
}

test('invalid JSON with a NUL leaves a receipt', async () => {
  const tenant = await workspace()
  const made = await createIntegration(tenant)
  const answer = await tenant.send(made.url, '{"name":\u0000}', { 'content-type': 'application/json' })
  assert.deepEqual(outcomeOf(answer), [400, 'VALIDATION_ERROR'])
  const [receipt] = await receiptsOf(tenant, made)
  assert.deepEqual([receipt.id, receipt.outcome], [answer.body.error.details.receipt_id, 'refused'])
})

test('a body of more than 1 MiB returns 413', async () => {
  const tenant = await workspace()
  const { url } = await createIntegration(tenant)
  assert.equal((await tenant.send(url, { phone: phoneNumber(), name: 'a'.repeat(2 ** 20) })).status, 413)
})

test('an unknown, malformed or deleted URL returns 404, and that of a disabled integration 409', async () => {
  const tenant = await workspace()
  const made = await createIntegration(tenant)
  const payload = { phone: phoneNumber() }
  assert.equal((await tenant.call('PATCH', `/integrations/${made.id}`, { status: 'disabled' })).status, 200)
  assert.deepEqual(outcomeOf(await tenant.send(made.url, payload)), [409, 'INVALID_STATE'])
  await tenant.call('PATCH', `/integrations/${made.id}`, { status: 'active' })
  assert.equal((await tenant.send(made.url, payload)).status, 200)
  assert.deepEqual((await tenant.call('DELETE', `/integrations/${made.id}`)).body.data, { deleted: true })
  for (const url of [made.url, made.url.slice(0, -1), `${made.url}a`, `${made.url.slice(0, -1)}%00`, `${made.url}/a`]) {
    assert.deepEqual(outcomeOf(await tenant.send(url, payload)), [404, 'NOT_FOUND'], url)
  }
  assert.equal((await tenant.call('GET', '/contacts')).body.pagination.total, 1, 'its contacts stay')
})

test('a URL only allows POST', async () => {
  const tenant = await workspace()
  const { url } = await createIntegration(tenant)
  const answer = await fetch('GET', new URL(url).pathname)
  assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'POST'])
})

test('requests are rate limited per URL', async () => {
  const limited = await serve({ rate_limit_per_second: 2 })
  const tenant = await limited.workspace()
  const [one, other] = await Promise.all([createIntegration(tenant), createIntegration(tenant)])
  const answers = await Promise.all(Array.from({ length: 20 }, () => tenant.send(one.url, { phone: phoneNumber() })))
  const refused = answers.find(({ status }) => status === 429)
  assert.ok(refused, 'some of twenty concurrent requests exceed the limit')
  assert.equal(refused.headers.get('retry-after'), '1')
  assert.equal((await tenant.send(other.url, { phone: phoneNumber() })).status, 200)
})

test('the last 50 receipts are kept, and can be filtered by outcome', async () => {
  const tenant = await workspace()
  const made = await createIntegration(tenant)
  for (let count = 0; count < 52; count += 1)
    await tenant.send(made.url, { phone: count < 51 ? 'none' : phoneNumber() })
  const all = await receiptsOf(tenant, made)
  assert.deepEqual([all.length, all[0].outcome, all[49].outcome], [50, 'created', 'refused'])
  const page = await tenant.call('GET', `/integrations/${made.id}/receipts?outcome=refused&limit=2`)
  assert.deepEqual([page.body.pagination.total, page.body.data.length], [49, 2])
})

test('a payload of more than 64 kB is processed but not stored', async () => {
  const tenant = await workspace()
  const made = await createIntegration(tenant)
  assert.deepEqual(outcomeOf(await tenant.send(made.url, { phone: phoneNumber(), more: 'a'.repeat(70_000) })), [
    200,
    'created',
  ])
  assert.equal((await receiptsOf(tenant, made))[0].payload, null)
})

test('receipts store payloads with NUL and lone surrogates unchanged', async () => {
  const tenant = await workspace()
  const made = await createIntegration(tenant)
  const payload = { phone: phoneNumber(), more: 'a\u0000b\ud800' }
  assert.equal((await tenant.send(made.url, payload)).status, 200)
  assert.deepEqual((await receiptsOf(tenant, made))[0].payload, payload)
})

test('receipts of a deleted contact keep only ids and the outcome', async () => {
  const tenant = await workspace()
  const made = await createIntegration(tenant)
  const phone = phoneNumber()
  const { contact_id } = (await tenant.send(made.url, { phone, name: 'Ada' })).body.data
  await tenant.send(made.url, { phone: phoneNumber(), name: 'Eve' })
  assert.equal((await tenant.send(made.url, { phone, name: 'a'.repeat(101) })).status, 400)
  await tenant.call('DELETE', `/contacts/${contact_id}`)
  const [refused, eve, ada] = await receiptsOf(tenant, made)
  assert.deepEqual(
    [refused.contact_id, refused.outcome, refused.payload, refused.reasons],
    [contact_id, 'refused', null, []],
  )
  assert.equal(eve.payload.name, 'Eve')
  assert.deepEqual([ada.contact_id, ada.outcome, ada.payload, ada.reasons], [contact_id, 'created', null, []])
})

test('receipts keep only ids of contacts that are deleted while requests arrive', async () => {
  const tenant = await workspace()
  const made = await createIntegration(tenant)
  const phone = phoneNumber()
  const too_long = 'a'.repeat(101)
  /** Senders repeat what a busy server has not taken. */
  const send = async (body: object): Promise<Answer> => {
    const answer = await tenant.send(made.url, body)
    return answer.status === 503 ? send(body) : answer
  }
  const sends = Array.from({ length: 30 }, (_, count) =>
    send({ phone, name: count % 3 === 0 ? too_long : `Name ${count}` }),
  )
  const removals = sends.map(async (send) => {
    const answered = await send
    assert.ok([200, 400].includes(answered.status), JSON.stringify(answered.body))
    const { contact_id } = answered.body.data ?? {}
    return contact_id ? (await tenant.call('DELETE', `/contacts/${contact_id}`)).status : undefined
  })
  const statuses = await Promise.all(removals)
  assert.ok(statuses.includes(200))
  assert.ok(statuses.every((status) => status === undefined || status === 200 || status === 404))
  const left = (await tenant.call('GET', '/contacts')).body.data.map(({ id }: { id: string }) => id)
  assert.deepEqual(left, [], 'every created contact was deleted')
  const receipts = await receiptsOf(tenant, made)
  assert.equal(receipts.length, 30)
  for (const { contact_id, payload } of receipts) assert.ok(contact_id === null || payload === null)
})

test('receipts older than 30 days are deleted', async () => {
  const tenant = await workspace()
  const made = await createIntegration(tenant)
  await tenant.send(made.url, { phone: phoneNumber() })
  const month_ms = 30 * 24 * 60 * 60 * 1000
  await integrations.removeOld(at(tenant.id, clock.wall() + month_ms - 60_000))
  assert.equal((await receiptsOf(tenant, made)).length, 1)
  await integrations.removeOld(at(tenant.id, clock.wall() + month_ms + 1))
  assert.equal((await receiptsOf(tenant, made)).length, 0)
})
