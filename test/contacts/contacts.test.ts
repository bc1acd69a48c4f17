import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../server/kit/postgres/sql.ts'
import { create, eventsOf, get, not_in_create, profile, unknown_id, unset } from '../support/contacts.ts'
import { serve } from '../support/harness.ts'
import { newContact } from '../support/samples.ts'

const { workspace, fetch, pool } = await serve()

const uuid_v7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

test('a created contact has the values that were sent, trimmed, and defaults', async () => {
  const { call } = await workspace()
  const { phone_number } = newContact()
  const created = await call('POST', '/contacts', { phone_number, first_name: '  Ada ', tags: ['vip', 'VIP', ' new '] })
  assert.equal(created.status, 201)
  const { id, created_at, updated_at, ...rest } = created.body.data
  assert.equal(created.headers.get('location'), `/api/v1/contacts/${id}`)
  assert.equal(created_at, updated_at)
  assert.deepEqual(rest, { ...unset, phone_number, first_name: 'Ada', tags: ['vip', 'new'], source: 'api' })
})

test('every field that is sent is returned', async () => {
  const tenant = await workspace()
  const { id, created_at, updated_at, phone_number, source, ...rest } = await create(tenant, profile)
  assert.deepEqual(rest, profile)
  assert.match(id, uuid_v7)
  assert.match(created_at, timestamp)
  assert.match(updated_at, timestamp)
})

test('the URL in Location returns the contact', async () => {
  const { call, key } = await workspace()
  const created = await call('POST', '/contacts', newContact(profile))
  const fetched = await fetch('GET', String(created.headers.get('location')), undefined, {
    authorization: `Bearer ${key}`,
  })
  assert.equal(fetched.status, 200)
  assert.deepEqual(fetched.body.data, { ...created.body.data, ...not_in_create, crm_ids: {} })
})

test('get returns crm_ids and the contact times, list and update only the times', async () => {
  const tenant = await workspace()
  const created = await create(tenant)
  const shown = { ...created, ...not_in_create }
  assert.deepEqual(await get(tenant, created.id), { ...shown, crm_ids: {} })
  const listed = await tenant.call('GET', '/contacts')
  assert.deepEqual(listed.body.data, [shown])
  const updated = await tenant.call('PATCH', `/contacts/${created.id}`, { first_name: 'Ada' })
  assert.equal(updated.status, 200)
  const { updated_at } = updated.body.data
  assert.deepEqual(updated.body, { success: true, data: { ...shown, first_name: 'Ada', updated_at } })
})

test('contact times are returned once they are set', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant)
  const times = { first_contact_at: '2026-01-02T03:04:05.600Z', last_contact_at: '2026-02-03T04:05:06.007Z' }
  await pool.run(
    sql`update contacts set first_contact_at = ${times.first_contact_at}, last_contact_at = ${times.last_contact_at}
      where workspace_id = ${tenant.id} and id = ${id}`,
  )
  assert.partialDeepStrictEqual(await get(tenant, id), times)
  const { body } = await tenant.call('PATCH', `/contacts/${id}`, { notes: 'called' })
  assert.partialDeepStrictEqual(body.data, times)
})

test('null, "" and spaces leave an optional field unset, and null tags are []', async () => {
  const tenant = await workspace()
  for (const empty of [null, '', '  \t ']) {
    const fields = Object.fromEntries(Object.keys(unset).map((name) => [name, empty]))
    const contact = await create(tenant, { ...fields, tags: null })
    assert.deepEqual(contact, { ...contact, ...unset, tags: [] })
  }
})

test('of tags that differ only in case the first is kept, and the order stays', async () => {
  const tenant = await workspace()
  const { tags } = await create(tenant, { tags: [' Zoo', 'été', 'apple', 'ZOO', 'ÉTÉ', 'APPLE ', 'ete'] })
  assert.deepEqual(tags, ['Zoo', 'été', 'apple', 'ete'])
})

test('create ignores read-only fields', async () => {
  const tenant = await workspace()
  const owned = {
    id: unknown_id,
    source: 'import',
    workspace_id: unknown_id,
    created_at: '2001-01-01T00:00:00.000Z',
    updated_at: 5,
    first_contact_at: [],
    last_contact_at: '2001-01-01T00:00:00.000Z',
  }
  const contact = await create(tenant, owned)
  assert.notEqual(contact.id, unknown_id)
  assert.notEqual(contact.created_at, owned.created_at)
  assert.equal(contact.source, 'api')
  assert.deepEqual(await get(tenant, contact.id), { ...contact, ...not_in_create, crm_ids: {} })
})

test('a phone number in use is rejected and nothing changes', async () => {
  const tenant = await workspace()
  const { id, phone_number } = await create(tenant, { first_name: 'Ada' })
  const before = await get(tenant, id)
  const rejected = await tenant.call('POST', '/contacts', { phone_number: ` ${phone_number} `, first_name: 'Eve' })
  assert.equal(rejected.status, 409)
  const { request_id, ...details } = rejected.body.error.details
  assert.equal(rejected.body.error.code, 'CONFLICT')
  assert.deepEqual(details, { field: 'phone_number', reason: 'already_exists', existing_id: id })
  assert.deepEqual(await get(tenant, id), before)
  assert.equal((await tenant.call('GET', '/contacts')).body.pagination.total, 1)
  assert.equal((await eventsOf(pool, tenant)).length, 1)
})

test('two workspaces can have the same phone number', async () => {
  const contact = newContact()
  for (const { call } of [await workspace(), await workspace()]) {
    assert.equal((await call('POST', '/contacts', contact)).status, 201)
  }
})

test('a deleted contact is 404, also for a second delete', async () => {
  const tenant = await workspace()
  const other = await create(tenant)
  const { id, phone_number } = await create(tenant, profile)
  const deleted = await tenant.call('DELETE', `/contacts/${id}`)
  assert.equal(deleted.status, 200)
  assert.deepEqual(deleted.body, { success: true, data: { deleted: true } })
  for (const [method, body] of [['DELETE'], ['GET'], ['PATCH', {}], ['PATCH', { notes: 'late' }]] as const) {
    const { status, body: answer } = await tenant.call(method, `/contacts/${id}`, body)
    assert.deepEqual([status, answer.error.code], [404, 'NOT_FOUND'])
  }
  const { body } = await tenant.call('GET', '/contacts')
  assert.deepEqual([body.data.length, body.data[0].id, body.pagination.total], [1, other.id, 1])
  assert.equal((await tenant.call('POST', '/contacts', { phone_number })).status, 201, 'the number is free')
})

test('of many concurrent deletes of one contact, one succeeds', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant)
  const answers = await Promise.all(Array.from({ length: 10 }, () => tenant.call('DELETE', `/contacts/${id}`)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(9).fill(404)])
  assert.equal((await tenant.call('GET', '/contacts')).body.pagination.total, 0)
})

test('each change records an event in the same transaction', async () => {
  const tenant = await workspace()
  const rowOf = ({ id }: { id: string }) =>
    pool.one<{ written_by: string }>(
      sql`select xmin::text as written_by from contacts where workspace_id = ${tenant.id} and id = ${id}`,
    )
  const created = await create(tenant, profile)
  const [first, ...none] = await eventsOf(pool, tenant)
  assert.deepEqual(none, [])
  assert.deepEqual([first?.type, first?.resource_id], ['contact.created', created.id])
  assert.partialDeepStrictEqual(first?.data, created)
  assert.equal(first?.previous, null)
  assert.equal(first?.written_by, (await rowOf(created)).written_by)

  const { body } = await tenant.call('PATCH', `/contacts/${created.id}`, { notes: 'changed' })
  const second = (await eventsOf(pool, tenant)).find(({ type }) => type === 'contact.updated')
  assert.deepEqual([second?.resource_id, second?.data], [created.id, { ...body.data, crm_ids: {} }])
  assert.deepEqual(second?.previous, { notes: created.notes })
  assert.equal(second?.written_by, (await rowOf(created)).written_by)

  const crm = await tenant.call('PUT', `/contacts/${created.id}/crm_ids/hubspot`, { id: '301' })
  const third = (await eventsOf(pool, tenant)).find(({ data }) => data.updated_at === crm.body.data.updated_at)
  assert.deepEqual([third?.type, third?.data], ['contact.updated', crm.body.data])
  assert.deepEqual(third?.previous, { crm_ids: {} })
  assert.equal(third?.written_by, (await rowOf(created)).written_by)
})

test('events of a deleted contact are reduced to the id', async () => {
  const tenant = await workspace()
  const other = await create(tenant, { first_name: 'Grace' })
  const { id } = await create(tenant, profile)
  await tenant.call('PATCH', `/contacts/${id}`, { notes: 'secret' })
  await tenant.call('PUT', `/contacts/${id}/crm_ids/hubspot`, { id: 'secret' })
  await tenant.call('DELETE', `/contacts/${id}`)
  const events = await eventsOf(pool, tenant)
  const about = events.filter(({ resource_id }) => resource_id === id)
  assert.deepEqual(
    about.map(({ type }) => type).sort(),
    ['created', 'deleted', 'updated', 'updated'].map((verb) => `contact.${verb}`),
  )
  for (const { data } of about) assert.deepEqual(data, { id })
  assert.equal(
    new Set(about.map(({ written_by }) => written_by)).size,
    1,
    'all are written in the transaction of the delete',
  )
  assert.equal(events.find(({ resource_id }) => resource_id === other.id)?.data.first_name, 'Grace')
})

test("another workspace's contact is 404 and stays unchanged", async () => {
  const owner = await workspace()
  const stranger = await workspace()
  const { id } = await create(owner, profile)
  const before = await get(owner, id)
  for (const [method, path, body] of [
    ['GET', ''],
    ['PATCH', '', { notes: 'mine' }],
    ['DELETE', ''],
    ['PUT', '/crm_ids/hubspot', { id: '1' }],
    ['DELETE', '/crm_ids/hubspot'],
  ] as const) {
    const answer = await stranger.call(method, `/contacts/${id}${path}`, body)
    const unknown = await stranger.call(method, `/contacts/${unknown_id}${path}`, body)
    assert.deepEqual([answer.status, unknown.status], [404, 404])
    assert.equal(answer.body.error.message, unknown.body.error.message)
  }
  assert.deepEqual(await get(owner, id), before)
})
