import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create, eventsOf, get, profile, unknown_id, unset } from '../support/contacts.ts'
import { serve } from '../support/harness.ts'
import { newContact } from '../support/samples.ts'

const { workspace, pool } = await serve()

test('PATCH changes only the fields that are sent', async () => {
  const tenant = await workspace()
  const before = await create(tenant, profile)
  const phone_number = newContact().phone_number
  for (const [name, value] of Object.entries({ ...profile, first_name: 'Grace', notes: 'new', phone_number })) {
    const previous = await get(tenant, before.id)
    const { status, body } = await tenant.call('PATCH', `/contacts/${before.id}`, { [name]: value })
    assert.equal(status, 200)
    const after = await get(tenant, before.id)
    assert.deepEqual(after, { ...previous, [name]: value, updated_at: body.data.updated_at })
    assert.ok(after.updated_at > previous.updated_at)
  }
})

test('PATCH with {} or only read-only fields changes nothing', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, profile)
  const before = await get(tenant, id)
  for (const body of [{}, { id: unknown_id, source: 'import', updated_at: null }]) {
    const { status, headers, body: answer } = await tenant.call('PATCH', `/contacts/${id}`, body)
    assert.equal(status, 200)
    assert.deepEqual({ ...answer.data, crm_ids: {} }, before)
    assert.equal(headers.get('etag'), (await tenant.call('GET', `/contacts/${id}`)).headers.get('etag'))
  }
  assert.deepEqual(await get(tenant, id), before)
  assert.equal((await eventsOf(pool, tenant)).length, 1)
})

test('PATCH with the same values advances updated_at', async () => {
  const tenant = await workspace()
  const { id, updated_at, phone_number } = await create(tenant, profile)
  const { body } = await tenant.call('PATCH', `/contacts/${id}`, { phone_number, ...profile })
  assert.ok(body.data.updated_at > updated_at)
  assert.partialDeepStrictEqual(body.data, { phone_number, ...profile })
})

test('the body of GET can be sent to PATCH', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, profile)
  const before = await get(tenant, id)
  const { status, body } = await tenant.call('PATCH', `/contacts/${id}`, before)
  assert.equal(status, 200)
  assert.deepEqual(await get(tenant, id), { ...before, updated_at: body.data.updated_at })
})

test('null and "" clear an optional field, and tags replaces all tags', async () => {
  const tenant = await workspace()
  for (const empty of [null, '', ' ']) {
    for (const name of Object.keys(unset)) {
      const { id } = await create(tenant, profile)
      const { status, body } = await tenant.call('PATCH', `/contacts/${id}`, { [name]: empty })
      assert.equal(status, 200)
      assert.partialDeepStrictEqual(body.data, { ...profile, [name]: null })
    }
  }
  const { id } = await create(tenant, profile)
  for (const [tags, expected] of [
    [
      ['new', 'NEW', 'other'],
      ['new', 'other'],
    ],
    [[], []],
    [['again'], ['again']],
    [null, []],
  ]) {
    assert.deepEqual((await tenant.call('PATCH', `/contacts/${id}`, { tags })).body.data.tags, expected)
  }
})

test('a phone number can be changed but not cleared', async () => {
  const tenant = await workspace()
  const { id, phone_number } = await create(tenant)
  for (const empty of [null, '', '  ']) {
    const { status, body } = await tenant.call('PATCH', `/contacts/${id}`, { phone_number: empty, first_name: 'Eve' })
    assert.equal(status, 400)
    assert.equal(body.error.details.fields[0].path, 'phone_number')
  }
  assert.partialDeepStrictEqual(await get(tenant, id), { phone_number, first_name: null })
  const other = newContact().phone_number
  assert.equal((await tenant.call('PATCH', `/contacts/${id}`, { phone_number: other })).status, 200)
  assert.equal((await tenant.call('POST', '/contacts', { phone_number })).status, 201, 'the old number is free')
})

test('PATCH to a phone number in use is rejected and changes nothing', async () => {
  const tenant = await workspace()
  const holder = await create(tenant)
  const { id } = await create(tenant, profile)
  const before = await get(tenant, id)
  const change = { phone_number: holder.phone_number, first_name: 'Eve' }
  const { status, body } = await tenant.call('PATCH', `/contacts/${id}`, change)
  assert.equal(status, 409)
  const { request_id, ...details } = body.error.details
  assert.equal(body.error.code, 'CONFLICT')
  assert.deepEqual(details, { field: 'phone_number', reason: 'already_exists', existing_id: holder.id })
  assert.deepEqual(await get(tenant, id), before)
  assert.equal((await eventsOf(pool, tenant)).length, 2)
})

test('when many contacts change to one number at the same time, one succeeds', async () => {
  const tenant = await workspace()
  const contacts = await Promise.all(Array.from({ length: 10 }, () => create(tenant)))
  const { phone_number } = newContact()
  const answers = await Promise.all(
    contacts.map(({ id }) => tenant.call('PATCH', `/contacts/${id}`, { phone_number, last_name: 'Winner' })),
  )
  const winners = answers.filter(({ status }) => status === 200)
  assert.deepEqual([winners.length, answers.filter(({ status }) => status === 409).length], [1, 9])
  const { body } = await tenant.call('GET', '/contacts?search=winner')
  assert.deepEqual(body.data, [winners[0]?.body.data])
})

test('every PATCH advances updated_at, in sequence and concurrently', async () => {
  const tenant = await workspace()
  const { id, updated_at } = await create(tenant)
  const seen = [updated_at]
  for (let count = 0; count < 20; count += 1) {
    seen.push((await tenant.call('PATCH', `/contacts/${id}`, { notes: `${count}` })).body.data.updated_at)
  }
  assert.deepEqual(seen, [...new Set(seen)].sort())
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, count) => tenant.call('PATCH', `/contacts/${id}`, { notes: `at once ${count}` })),
  )
  const times = answers.map(({ body }) => body.data.updated_at).sort()
  assert.equal(new Set(times).size, 30)
  assert.ok(times[0] > String(seen.at(-1)))
  const last = answers.find(({ body }) => body.data.updated_at === times.at(-1))
  assert.equal((await get(tenant, id)).updated_at, times.at(-1))
  assert.equal((await get(tenant, id)).notes, last?.body.data.notes)
})
