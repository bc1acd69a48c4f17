import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { document, openApi } from '../server/api.ts'
import { readConfig } from '../server/config.ts'
import { receive_operations } from '../server/integrations/routes.ts'
import * as integrations from '../server/integrations/store.ts'
import * as clock from '../server/kit/clock.ts'
import { newSigningSecret } from '../server/kit/crypto/signing.ts'
import type { Operation } from '../server/kit/http/operation.ts'
import { newId } from '../server/kit/id.ts'
import { openLog } from '../server/kit/log.ts'
import { sql } from '../server/kit/postgres/sql.ts'
import { create, eventsOf, get } from './support/contacts.ts'
import { answerFaults } from './support/contract.ts'
import { type Answer, migrations, serve, type Tenant, testPool } from './support/harness.ts'
import { holdTransaction } from './support/held-transaction.ts'
import { newIntegration, phoneNumber } from './support/samples.ts'

const { workspace, fetch, pool, at } = await serve()

interface Made {
  id: string
  url: string
}

async function make({ call }: Tenant, fields: object = {}): Promise<Made> {
  const { status, body, text } = await call('POST', '/integrations', newIntegration(fields))
  assert.equal(status, 201, text)
  return body.data
}

const receiptsOf = async ({ call }: Tenant, { id }: Made, query = '?limit=100') =>
  (await call('GET', `/integrations/${id}/receipts${query}`)).body.data

const outcomeOf = ({ status, body }: Answer) => [status, body?.data?.outcome ?? body?.error?.code]

/** The headers of a message that is signed with this secret. */
function signed(secret: string, body: string, signed_as: { id?: string; at_ms?: number } = {}): Record<string, string> {
  const { id = newId(), at_ms = clock.wall() } = signed_as
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at_ms / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, new Date(at_ms), body),
  }
}

test('a posted payload becomes a contact with events, and search finds it', async () => {
  const tenant = await workspace()
  const made = await make(tenant, {
    field_map: {
      phone_number: '/form/phone',
      first_name: '/form/names/0',
      last_name: '/form/names/1',
      display_name: '/form/display~1name',
      email: '/e~0mail',
      company: '/company/name',
      notes: '#/free%20text%20',
      tags: '/tags',
      crm_ids: { hubspot: '/id' },
    },
    default_country: 'GB',
  })
  const answer = await tenant.send(made.url, {
    id: 301,
    form: { phone: '020 7946 0018', names: ['Ada', 'Lovelace'], 'display/name': 'Countess' },
    'e~mail': 'ada@example.com',
    company: { name: '' },
    'free text ': 'two\nlines',
    tags: ['vip', 7],
  })
  assert.deepEqual(outcomeOf(answer), [200, 'created'])
  const contact = await get(tenant, answer.body.data.contact_id)
  assert.deepEqual(
    { ...contact, id: '', created_at: '', updated_at: '' },
    {
      id: '',
      phone_number: '+442079460018',
      first_name: 'Ada',
      last_name: 'Lovelace',
      display_name: 'Countess',
      email: 'ada@example.com',
      company: null,
      notes: 'two\nlines',
      tags: ['vip', '7'],
      source: 'webhook',
      first_contact_at: null,
      last_contact_at: null,
      created_at: '',
      updated_at: '',
      crm_ids: { hubspot: '301' },
    },
  )
  const found = await tenant.call('GET', '/contacts?source=webhook&search=lovelace')
  assert.equal(found.body.pagination.total, 1)
  assert.deepEqual((await eventsOf(pool, tenant)).map(({ type }) => type).sort(), [
    'contact.created',
    'contact.updated',
  ])
  const [receipt] = await receiptsOf(tenant, made)
  assert.deepEqual(
    [receipt.id, receipt.outcome, receipt.contact_id, receipt.payload.id],
    [answer.body.data.receipt_id, 'created', contact.id, 301],
  )
  assert.equal((await tenant.call('GET', `/integrations/${made.id}`)).body.data.last_received_at, receipt.received_at)
})

test('a payload with a known number updates the contact, and changes nothing when all values are the same', async () => {
  const tenant = await workspace()
  const contact = await create(tenant, { first_name: 'Ada', company: 'Engines' })
  const made = await make(tenant, { field_map: { phone_number: '/phone', first_name: '/name', company: '/company' } })
  const payload = { phone: contact.phone_number, name: 'Augusta', company: null }
  const updated = await tenant.send(made.url, payload)
  assert.deepEqual([...outcomeOf(updated), updated.body.data.contact_id], [200, 'updated', contact.id])
  const after = await get(tenant, contact.id)
  assert.deepEqual([after.first_name, after.company, after.source], ['Augusta', 'Engines', 'api'])
  assert.deepEqual(outcomeOf(await tenant.send(made.url, payload)), [200, 'unchanged'])
  assert.equal((await get(tenant, contact.id)).updated_at, after.updated_at)
})

test('a thousand waiting posts to one URL block neither the workspace nor its other URLs', async () => {
  const own_pool = testPool()
  const { app } = openApi(
    own_pool,
    readConfig({ LOG_LEVEL: 'silent', RATE_LIMIT_PER_SECOND: '0' }),
    migrations,
    openLog('silent'),
  )
  after(async () => {
    await app.close()
    await own_pool.close()
  })
  const tenant = await workspace()
  const [flooded, other] = [await make(tenant), await make(tenant)]
  const contact = await create(tenant)
  const authorization = `Bearer ${tenant.key}`
  const post = ({ url }: Made) =>
    app.inject({ method: 'POST', url: new URL(url).pathname, body: { phone: phoneNumber(), name: 'Ada' } })
  const isWaiting = async () => {
    const { waiting } = await pool.one<{ waiting: number }>(
      sql`select count(*) as waiting from pg_stat_activity
        where wait_event_type = 'Lock' and query like '%from integrations%for share'`,
    )
    return waiting >= 2
  }
  await using held = await holdTransaction(pool, (db) =>
    db.run(sql`select 1 from integrations where workspace_id = ${tenant.id} and id = ${flooded.id} for update`),
  )
  const flood = Array.from({ length: 1_200 }, () => post(flooded))
  while (!(await isWaiting()));
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
  assert.deepEqual([...statuses].sort(), [200, 503])
})

/** The pointer to phone_number, the payload, and the expected outcome. */
const payloads: [string, unknown, string][] = [
  ['/phone', { phone: '+14155550100' }, 'created'],
  ['/phone', { phone: '(415) 555-0100' }, 'created'],
  ['/phone', { phone: 4155550100 }, 'created'],
  ['/phone', { phone: ' +14155550100 ' }, 'created'],
  ['/0', ['+14155550100'], 'created'],
  ['/a/1/b', { a: [0, { b: '+14155550100' }] }, 'created'],
  ['/', { '': '+14155550100' }, 'created'],
  ['#', '+14155550100', 'created'],
  ['/m~1n', { 'm/n': '+14155550100' }, 'created'],
  ['/~01', { '~1': '+14155550100' }, 'created'],
  ['/__proto__', JSON.parse('{"__proto__": "+14155550100"}'), 'created'],
  ['/phone', {}, 'refused'],
  ['/phone', { phone: null }, 'refused'],
  ['/phone', { phone: '' }, 'refused'],
  ['/phone', { phone: 'none' }, 'refused'],
  ['/phone', { phone: { number: '+14155550100' } }, 'refused'],
  ['/phone', { phone: ['+14155550100'] }, 'refused'],
  ['/phone', null, 'refused'],
  ['/phone', 'phone', 'refused'],
  ['/01', ['+1', '+14155550100'], 'refused'],
  ['/-', ['+14155550100'], 'refused'],
  ['/length', ['+14155550100'], 'refused'],
  ['/__proto__', {}, 'refused'],
  ['/__proto__/phone', { phone: '+14155550100' }, 'refused'],
  ['/constructor/name', {}, 'refused'],
  ['/phone/0', { phone: '+14155550100' }, 'refused'],
]
for (const [phone_number, payload, outcome] of payloads) {
  test(`${phone_number} of ${JSON.stringify(payload)} is ${outcome}, also in a dry run`, async () => {
    const tenant = await workspace()
    const made = await make(tenant, { field_map: { phone_number }, default_country: 'US' })
    const tried = await tenant.call('POST', `/integrations/${made.id}/dry_run`, { sample: payload })
    assert.equal(tried.body.data.outcome, outcome)
    assert.deepEqual(await receiptsOf(tenant, made), [])
    const answer = await tenant.send(made.url, JSON.stringify(payload), { 'content-type': 'application/json' })
    const is_made = outcome === 'created'
    assert.deepEqual(outcomeOf(answer), is_made ? [200, 'created'] : [400, 'VALIDATION_ERROR'])
    const [receipt] = await receiptsOf(tenant, made)
    assert.deepEqual([receipt.outcome, receipt.reasons], [outcome, tried.body.data.reasons])
    assert.deepEqual(receipt.payload, payload)
    if (is_made) assert.equal((await get(tenant, receipt.contact_id)).phone_number, '+14155550100')
    else assert.equal(answer.body.error.details.receipt_id, receipt.id)
  })
}

test('an error lists all invalid fields by name, and nothing is written', async () => {
  const tenant = await workspace()
  const made = await make(tenant, { field_map: { phone_number: '/phone', email: '/mail', first_name: '/name' } })
  const answer = await tenant.send(made.url, { phone: phoneNumber(), mail: 'nobody', name: { first: 'Ada' } })
  assert.deepEqual(
    answer.body.error.details.fields.map(({ path }: { path: string }) => path),
    ['first_name', 'email'],
  )
  assert.equal((await tenant.call('GET', '/contacts')).body.pagination.total, 0)
})

test('tags that differ only in case are one tag, and sending them again changes nothing', async () => {
  const tenant = await workspace()
  const made = await make(tenant, { field_map: { phone_number: '/phone', tags: '/tags' } })
  const payload = { phone: phoneNumber(), tags: 'vip, VIP; new' }
  const { contact_id } = (await tenant.send(made.url, payload)).body.data
  assert.deepEqual((await get(tenant, contact_id)).tags, ['vip', 'new'])
  assert.deepEqual(outcomeOf(await tenant.send(made.url, payload)), [200, 'unchanged'])
})

test('twenty identical concurrent requests create one contact', async () => {
  const tenant = await workspace()
  const made = await make(tenant, { field_map: { phone_number: '/phone', crm_ids: { hubspot: '/id' } } })
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
  const made = await make(tenant)
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

test('a CRM id that another contact has is refused, and no contact is created', async () => {
  const tenant = await workspace()
  const made = await make(tenant, { field_map: { phone_number: '/phone', crm_ids: { hubspot: '/id' } } })
  const first = await tenant.send(made.url, { phone: phoneNumber(), id: 'A1' })
  const second = await tenant.send(made.url, { phone: phoneNumber(), id: 'A1' })
  assert.deepEqual(outcomeOf(second), [409, 'CONFLICT'])
  assert.equal(second.body.error.details.existing_id, first.body.data.contact_id)
  assert.equal((await tenant.call('GET', '/contacts')).body.pagination.total, 1)
  const [receipt] = await receiptsOf(tenant, made)
  assert.deepEqual([receipt.outcome, receipt.contact_id], ['refused', first.body.data.contact_id])
})

test('a message signed by the standardwebhooks library is accepted, and a changed one is rejected', async () => {
  const tenant = await workspace()
  const secret = newSigningSecret()
  const made = await make(tenant, { signing_secret: secret })
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
  const made = await make(tenant, { signing_secret: secret })
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
  const made = await make(tenant, { signing_secret: secret, field_map: {} })
  const body = JSON.stringify({ phone: phoneNumber() })
  const headers = signed(secret, body)
  assert.deepEqual(outcomeOf(await tenant.send(made.url, body, headers)), [400, 'VALIDATION_ERROR'])
  await tenant.call('PATCH', `/integrations/${made.id}`, { field_map: { phone_number: '/phone' } })
  assert.deepEqual(outcomeOf(await tenant.send(made.url, body, headers)), [200, 'created'])
})

test('a signing secret can be set and removed, and is never returned', async () => {
  const tenant = await workspace()
  const secret = newSigningSecret()
  const made = await make(tenant)
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
  const made = await make(tenant, { signing_secret: secret })
  const token = made.url.split('/').at(-1) ?? ''
  const kept = await pool.one<{ text: string }>(
    sql`select integrations::text as text from integrations where workspace_id = ${tenant.id}`,
  )
  assert.equal(token.length, 43)
  assert.ok(!kept.text.includes(token) && !kept.text.includes(secret))
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
    const made = await make(tenant)
    const answer = await tenant.send(made.url, body, { 'content-type': 'application/json', ...headers })
    assert.equal(answer.status, status, answer.text)
    assert.ok(answer.body.error.message.includes(message), answer.text)
    const [receipt] = await receiptsOf(tenant, made)
    assert.deepEqual([receipt.outcome, receipt.payload, receipt.contact_id], ['refused', null, null])
    assert.ok(receipt.reasons[0].includes(message))
  })
}

test('a body of more than 1 MiB returns 413', async () => {
  const tenant = await workspace()
  const { url } = await make(tenant)
  assert.equal((await tenant.send(url, { phone: phoneNumber(), name: 'a'.repeat(2 ** 20) })).status, 413)
})

test('an unknown, malformed or deleted URL returns 404, and that of a disabled integration 409', async () => {
  const tenant = await workspace()
  const made = await make(tenant)
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
  const { url } = await make(tenant)
  const answer = await fetch('GET', new URL(url).pathname)
  assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'POST'])
})

test('two workspaces can have contacts with the same number', async () => {
  const [one, other] = await Promise.all([workspace(), workspace()])
  const phone = phoneNumber()
  const contact = await create(one, { phone_number: phone })
  const made = await make(other)
  const answer = await other.send(made.url, { phone, name: 'Eve' })
  assert.deepEqual(outcomeOf(answer), [200, 'created'])
  assert.notEqual(answer.body.data.contact_id, contact.id)
  assert.equal((await get(one, contact.id)).first_name, null)
})

test('the last 50 receipts are kept, and can be filtered by outcome', async () => {
  const tenant = await workspace()
  const made = await make(tenant)
  for (let count = 0; count < 52; count += 1)
    await tenant.send(made.url, { phone: count < 51 ? 'none' : phoneNumber() })
  const all = await receiptsOf(tenant, made)
  assert.deepEqual([all.length, all[0].outcome, all[49].outcome], [50, 'created', 'refused'])
  const page = await tenant.call('GET', `/integrations/${made.id}/receipts?outcome=refused&limit=2`)
  assert.deepEqual([page.body.pagination.total, page.body.data.length], [49, 2])
})

test('a payload of more than 64 kB is processed but not stored', async () => {
  const tenant = await workspace()
  const made = await make(tenant)
  assert.deepEqual(outcomeOf(await tenant.send(made.url, { phone: phoneNumber(), more: 'a'.repeat(70_000) })), [
    200,
    'created',
  ])
  assert.equal((await receiptsOf(tenant, made))[0].payload, null)
})

test('receipts store payloads with NUL and lone surrogates unchanged', async () => {
  const tenant = await workspace()
  const made = await make(tenant)
  const payload = { phone: phoneNumber(), more: 'a\u0000b\ud800' }
  assert.equal((await tenant.send(made.url, payload)).status, 200)
  assert.deepEqual((await receiptsOf(tenant, made))[0].payload, payload)
})

test('receipts of a deleted contact keep only ids and the outcome', async () => {
  const tenant = await workspace()
  const made = await make(tenant)
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
  const made = await make(tenant)
  const phone = phoneNumber()
  const too_long = 'a'.repeat(101)
  const sends = Array.from({ length: 30 }, (_, count) =>
    tenant.send(made.url, { phone, name: count % 3 === 0 ? too_long : `Name ${count}` }),
  )
  const removals = sends.map(async (send) => {
    const { contact_id } = (await send).body.data ?? {}
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
  const made = await make(tenant)
  await tenant.send(made.url, { phone: phoneNumber() })
  const month_ms = 30 * 24 * 60 * 60 * 1000
  await integrations.removeOld(at(tenant.id, clock.wall() + month_ms - 60_000))
  assert.equal((await receiptsOf(tenant, made)).length, 1)
  await integrations.removeOld(at(tenant.id, clock.wall() + month_ms + 1))
  assert.equal((await receiptsOf(tenant, made)).length, 0)
})

const settings: [object, string][] = [
  [{ field_map: { phone_number: 'phone' } }, 'field_map.phone_number'],
  [{ field_map: { phone_number: '/a~2' } }, 'field_map.phone_number'],
  [{ field_map: { phone_number: '/a~' } }, 'field_map.phone_number'],
  [{ field_map: { phone_number: '#/%ff' } }, 'field_map.phone_number'],
  [{ field_map: { phone_number: `/${'a'.repeat(500)}` } }, 'field_map.phone_number'],
  [{ field_map: { phone: '/phone' } }, 'field_map.phone'],
  [{ field_map: { crm_ids: { 'Hub Spot': '/id' } } }, 'field_map.crm_ids.Hub Spot'],
  [{ field_map: { crm_ids: { hubspot: 'id' } } }, 'field_map.crm_ids.hubspot'],
  [
    { field_map: { crm_ids: Object.fromEntries([...'abcdefghijk'].map((name) => [name, '/id'])) } },
    'field_map.crm_ids.k',
  ],
  [{ default_country: 'XX' }, 'default_country'],
  [{ signing_secret: 'whsec_' }, 'signing_secret'],
  [{ signing_secret: `whsec_${'A'.repeat(30)}=` }, 'signing_secret'],
  [{ signing_secret: Buffer.alloc(32).toString('base64') }, 'signing_secret'],
  [{ name: '' }, 'name'],
]
for (const [fields, path] of settings) {
  test(`${JSON.stringify(fields).slice(0, 60)} is rejected with its path`, async () => {
    const tenant = await workspace()
    const made = await make(tenant)
    for (const answer of [
      await tenant.call('POST', '/integrations', newIntegration(fields)),
      await tenant.call('PATCH', `/integrations/${made.id}`, fields),
    ]) {
      assert.deepEqual([answer.status, answer.body.error.details.fields[0].path], [400, path], answer.text)
    }
  })
}

test('the path of a long CRM name is cut between whole characters', async () => {
  const tenant = await workspace()
  for (const name of ['\u{1f600}'.repeat(150), `a${'\u{1f600}'.repeat(150)}`]) {
    const fields = newIntegration({ field_map: { crm_ids: { [name]: '/id' } } })
    const { status, body } = await tenant.call('POST', '/integrations', fields)
    const [{ path }] = body.error.details.fields
    assert.deepEqual([status, path.isWellFormed()], [400, true], path)
  }
})

test('the body of a get can be sent back', async () => {
  const tenant = await workspace()
  const made = await make(tenant)
  const { body, headers } = await tenant.call('GET', `/integrations/${made.id}`)
  const etag = headers.get('etag') ?? ''
  const answer = await tenant.call('PATCH', `/integrations/${made.id}`, body.data, { 'if-match': etag })
  assert.deepEqual({ ...answer.body.data, updated_at: '' }, { ...body.data, updated_at: '' })
  assert.equal((await tenant.call('PATCH', `/integrations/${made.id}`, {}, { 'if-match': etag })).status, 412)
})

test('a dry run tries another field map, and returns the contact that it would change', async () => {
  const tenant = await workspace()
  const made = await make(tenant, { field_map: {} })
  const contact = await create(tenant, { first_name: 'Ada' })
  const tryOut = async (body: object) => (await tenant.call('POST', `/integrations/${made.id}/dry_run`, body)).body.data
  const sample = { phone: contact.phone_number, name: 'Ada', id: 7 }
  const field_map = { phone_number: '/phone', first_name: '/name' }
  assert.deepEqual(await tryOut({ sample }), {
    outcome: 'refused',
    reasons: ['The field map has no phone_number yet.'],
    contact_id: null,
    contact: null,
  })
  assert.deepEqual(await tryOut({ sample, field_map }), {
    outcome: 'unchanged',
    reasons: [],
    contact_id: contact.id,
    contact: { phone_number: contact.phone_number, first_name: 'Ada' },
  })
  const with_crm = await tryOut({ sample, field_map: { ...field_map, crm_ids: { hubspot: '/id' } } })
  assert.deepEqual([with_crm.outcome, with_crm.contact.crm_ids], ['updated', { hubspot: '7' }])
  assert.deepEqual((await get(tenant, contact.id)).crm_ids, {})
})

test('requests are rate limited per URL', async () => {
  const limited = await serve({ rate_limit_per_second: 2 })
  const tenant = await limited.workspace()
  const [one, other] = await Promise.all([make(tenant), make(tenant)])
  const answers = await Promise.all(Array.from({ length: 20 }, () => tenant.send(one.url, { phone: phoneNumber() })))
  const refused = answers.find(({ status }) => status === 429)
  assert.ok(refused, 'some of twenty concurrent requests exceed the limit')
  assert.equal(refused.headers.get('retry-after'), '1')
  assert.equal((await tenant.send(other.url, { phone: phoneNumber() })).status, 200)
})

test('long pointers are validated quickly', async () => {
  const tenant = await workspace()
  const slashes = '/'.repeat(400)
  for (const [pointer, status] of [
    [`#${slashes}~%30`, 400],
    [`${slashes}~`, 400],
    [`${slashes}~0`, 201],
  ] as const) {
    const fields = newIntegration({ field_map: { phone_number: pointer } })
    assert.equal((await tenant.call('POST', '/integrations', fields)).status, status, pointer)
  }
})

test('invalid JSON with a NUL leaves a receipt', async () => {
  const tenant = await workspace()
  const made = await make(tenant)
  const answer = await tenant.send(made.url, '{"name":\u0000}', { 'content-type': 'application/json' })
  assert.deepEqual(outcomeOf(answer), [400, 'VALIDATION_ERROR'])
  const [receipt] = await receiptsOf(tenant, made)
  assert.deepEqual([receipt.id, receipt.outcome], [answer.body.error.details.receipt_id, 'refused'])
})

test('a CRM system may have the name of a property of Object.prototype', async () => {
  const tenant = await workspace()
  const systems = '{"__proto__":"/a","constructor":"/b","tags":"/c"}'
  const field_map = `{"phone_number":"/phone","crm_ids":${systems}}`
  const headers = { 'content-type': 'application/json' }
  const { body } = await tenant.call('POST', '/integrations', `{"name":"Odd","field_map":${field_map}}`, headers)
  const answer = await tenant.send(body.data.url, { phone: phoneNumber(), a: '1', b: '2', c: '3' })
  const { crm_ids } = await get(tenant, answer.body.data.contact_id)
  assert.deepEqual(Object.entries(crm_ids).sort(), [
    ['__proto__', '1'],
    ['constructor', '2'],
    ['tags', '3'],
  ])
})

test('with another SECRETS_KEY the URL still works but is not shown, and the signing secret must be set again', async () => {
  const tenant = await workspace()
  const signing_secret = newSigningSecret()
  const made = await make(tenant, { signing_secret })
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

test('the documented example creates a contact, and every answer is as documented', async () => {
  const tenant = await workspace()
  const operation = receive_operations[0] as Operation
  const documented = Object(document.paths['/in/{token}']).post
  assert.deepEqual([documented.security, documented.servers], [[], [{ url: '/' }]])
  const { example } = documented.requestBody.content['application/json']
  const field_map = { phone_number: '/answers/phone', first_name: '/answers/name', crm_ids: { hubspot: '/id' } }
  const signing_secret = newSigningSecret()
  const [made, signed_made, disabled] = [
    await make(tenant, { field_map }),
    await make(tenant, { field_map, signing_secret }),
    await make(tenant, { field_map }),
  ]
  await tenant.call('PATCH', `/integrations/${disabled.id}`, { status: 'disabled' })
  const body = JSON.stringify(example)
  const headers = signed(signing_secret, body)
  for (const name of Object.keys(headers).filter((name) => name !== 'content-type')) {
    assert.ok(
      documented.parameters.some((parameter: { name: string }) => parameter.name === name),
      name,
    )
  }
  const answers: [Answer, number, string][] = [
    [await tenant.send(made.url, example), 200, 'created'],
    [await tenant.send(made.url, { ...example, answers: { ...example.answers, name: 'Eva' } }), 200, 'updated'],
    [await tenant.send(signed_made.url, body, headers), 200, 'updated'],
    [await tenant.send(made.url, example), 200, 'unchanged'],
    [await tenant.send(signed_made.url, body, headers), 200, 'repeated'],
    [await tenant.send(made.url, {}), 400, 'VALIDATION_ERROR'],
    [await tenant.send(signed_made.url, example), 401, 'UNAUTHORIZED'],
    [await tenant.send(`${made.url.slice(0, -1)}_`, example), 404, 'NOT_FOUND'],
    [await tenant.send(made.url, { answers: { phone: phoneNumber() }, id: example.id }), 409, 'CONFLICT'],
    [await tenant.send(disabled.url, example), 409, 'INVALID_STATE'],
    [await tenant.send(made.url, { name: 'a'.repeat(2 ** 20) }), 413, 'PAYLOAD_TOO_LARGE'],
    [await tenant.send(made.url, body, { 'content-type': 'text/plain' }), 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ]
  for (const [answer, status, outcome] of answers) {
    assert.deepEqual(outcomeOf(answer), [status, outcome], answer.text)
    assert.deepEqual(answerFaults(operation, answer), [], answer.text)
  }
})
