import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as contacts from '../../server/contacts/store.ts'
import { upsert } from '../../server/contacts/upsert.ts'
import { inTransaction } from '../../server/kit/at.ts'
import { Problem } from '../../server/kit/problem.ts'
import { create, eventsOf, get, not_in_create, profile, unset } from '../support/contacts.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { phoneNumber } from '../support/samples.ts'

const { workspace, pool, at } = await serve()

const put = ({ call }: Tenant, phone_number: string, body: unknown, headers = {}) =>
  call('PUT', `/contacts/by_phone_number/${encodeURIComponent(phone_number)}`, body, headers)

const etagOf = ({ headers }: { headers: Headers }) => String(headers.get('etag'))

test('an upsert creates a contact as a create does', async () => {
  const tenant = await workspace()
  const phone_number = phoneNumber()
  const { status, body, headers } = await put(tenant, phone_number, profile)
  const { id, created_at, updated_at, ...contact } = body.data
  assert.equal(status, 201)
  assert.deepEqual(contact, { phone_number, ...profile, source: 'api', ...not_in_create })
  assert.equal(headers.get('location'), `/api/v1/contacts/${id}`)
  assert.deepEqual(await get(tenant, id), { ...body.data, crm_ids: {} })
  const [event] = await eventsOf(pool, tenant)
  assert.deepEqual([event?.type, event?.data], ['contact.created', { ...body.data, crm_ids: {} }])
  assert.deepEqual((await tenant.call('GET', '/contacts?tag=vip')).body.pagination.total, 1)
})

test('an upsert changes the given fields of the contact that has the number', async () => {
  const tenant = await workspace()
  const { id, phone_number } = await create(tenant, { first_name: 'Ada', tags: ['vip'] })
  const { status, body, headers } = await put(tenant, phone_number, { phone_number, last_name: 'Lovelace', tags: null })
  assert.equal(status, 200)
  assert.equal(headers.get('location'), null)
  assert.deepEqual(
    [body.data.id, body.data.first_name, body.data.last_name, body.data.tags],
    [id, 'Ada', 'Lovelace', []],
  )
  const changed = (await eventsOf(pool, tenant)).filter(({ type }) => type === 'contact.updated')
  assert.deepEqual(
    changed.map(({ previous }) => previous),
    [{ last_name: null, tags: ['vip'] }],
  )
  const unchanged = await put(tenant, phone_number, { phone_number })
  assert.deepEqual([unchanged.status, unchanged.body.data.updated_at], [200, body.data.updated_at])
})

test('an upsert of the values that a contact has writes and records nothing', async () => {
  const tenant = await workspace()
  const phone_number = phoneNumber()
  const values = { first_name: 'Ada', tags: ['vip', 'VIP'], custom_fields: { plan: 'gold', seats: 3 }, notes: '' }
  const created = await put(tenant, phone_number, values)
  const { id, updated_at } = created.body.data
  const partly = { custom_fields: { seats: 3, unknown: null }, last_name: null }
  for (const body of [values, partly]) {
    const again = await put(tenant, phone_number, body)
    assert.deepEqual([again.status, again.body.data, etagOf(again)], [200, created.body.data, etagOf(created)])
  }
  const operations = [
    { op: 'upsert', phone_number, data: values },
    { op: 'upsert', phone_number, data: { ...values, first_name: 'Grace' } },
    { op: 'update', id, data: { first_name: 'Grace' } },
  ]
  const { results } = (await tenant.call('POST', '/contacts/batch', { operations })).body.data
  const times = results.map(({ data }: { data: { updated_at: string } }) => data.updated_at)
  assert.equal(times[0], updated_at)
  assert.ok(times[1] > times[0] && times[2] > times[1], 'an update counts, also one to the same values')
  const events = (await eventsOf(pool, tenant)).map(({ type, previous }) => [type, previous])
  assert.deepEqual(events, [
    ['contact.created', null],
    ['contact.updated', { first_name: 'Ada' }],
    ['contact.updated', {}],
  ])
})

test('an upsert refuses another phone number, in the body and as no number', async () => {
  const tenant = await workspace()
  const { phone_number } = await create(tenant)
  for (const [number, body, path] of [
    [phone_number, { phone_number: '+14155550199' }, 'phone_number'],
    ['4155550199', {}, 'phone_number'],
    [phone_number, { phone: '1' }, 'phone'],
  ] as const) {
    const refused = await put(tenant, number, body)
    assert.deepEqual([refused.status, refused.body.error.code], [400, 'VALIDATION_ERROR'])
    assert.equal(refused.body.error.details.fields[0].path, path)
  }
  assert.equal((await tenant.call('GET', '/contacts')).body.pagination.total, 1)
})

test('If-Match changes only what the client has read, and If-None-Match: * only creates', async () => {
  const tenant = await workspace()
  const phone_number = phoneNumber()
  const missing = await put(tenant, phone_number, {}, { 'if-match': '*' })
  assert.deepEqual([missing.status, missing.body.error.code], [412, 'PRECONDITION_FAILED'])
  assert.equal((await tenant.call('GET', '/contacts')).body.pagination.total, 0)
  const created = await put(tenant, phone_number, {}, { 'if-none-match': '*' })
  assert.equal(created.status, 201)
  const again = await put(tenant, phone_number, { first_name: 'Eve' }, { 'if-none-match': '*' })
  assert.deepEqual([again.status, again.body.error.code], [412, 'PRECONDITION_FAILED'])
  const changed = await put(tenant, phone_number, { first_name: 'Ada' }, { 'if-match': etagOf(created) })
  assert.equal(changed.status, 200)
  const stale = await put(tenant, phone_number, { first_name: 'Eve' }, { 'if-match': etagOf(created) })
  assert.equal(stale.status, 412)
  assert.equal((await get(tenant, created.body.data.id)).first_name, 'Ada')
})

test('twenty upserts at once make one contact with all fields', async () => {
  const tenant = await workspace()
  const phone_number = phoneNumber()
  const bodies = Array.from({ length: 20 }, (_, index) => (index % 2 ? { first_name: 'Ada' } : { company: 'Engines' }))
  const answers = await Promise.all(bodies.map((body) => put(tenant, phone_number, body)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [...Array(19).fill(200), 201])
  const { data } = (await tenant.call('GET', '/contacts')).body
  assert.deepEqual(
    data.map((one: Record<string, unknown>) => [one.first_name, one.company]),
    [['Ada', 'Engines']],
  )
  const types = (await eventsOf(pool, tenant)).map(({ type }) => type).sort()
  assert.deepEqual(types, ['contact.created', 'contact.updated'], 'once for each value')
})

test('an upsert waits for another transaction that creates or deletes the contact', async () => {
  const tenant = await workspace()
  const phone_number = phoneNumber()
  const one = { phone_number, source: 'api' as const, change: { company: 'Engines' }, isCurrent: () => true }
  const upsertOne = () => inTransaction(at(tenant.id), async (at) => (await upsert(at, [one]))[0])
  const all = await Promise.all(Array.from({ length: 5 }, upsertOne))
  const ids = all.map((result) => (result instanceof Problem ? result.code : result?.id))
  assert.equal(new Set(ids).size, 1)
  const remove = () =>
    inTransaction(at(tenant.id), (at) => contacts.remove(at, { id: String(ids[0]), isCurrent: () => true }))
  const [, after] = await Promise.all([remove(), upsertOne()])
  assert.ok(after && !(after instanceof Problem))
})

test('the same number in another workspace is another contact', async () => {
  const [one, other] = [await workspace(), await workspace()]
  const { id, phone_number } = await create(one)
  const created = await put(other, phone_number, {})
  assert.equal(created.status, 201)
  assert.notEqual(created.body.data.id, id)
  assert.deepEqual(await get(one, id).then(({ first_name }) => first_name), unset.first_name)
})
