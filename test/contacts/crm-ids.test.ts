import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create, eventsOf, get, profile } from '../support/contacts.ts'
import { serve } from '../support/harness.ts'

const { workspace, pool } = await serve()

test('setting, replacing and removing a CRM id returns the contact as get does', async () => {
  const tenant = await workspace()
  const { id, updated_at } = await create(tenant, profile)
  let previous = await get(tenant, id)
  for (const [method, system, body, crm_ids] of [
    ['PUT', 'hubspot', { id: ' 301 ' }, { hubspot: '301' }],
    ['PUT', 'sales_force-2', { id: 'ü/ö 1' }, { hubspot: '301', 'sales_force-2': 'ü/ö 1' }],
    ['PUT', 'hubspot', { id: '302' }, { hubspot: '302', 'sales_force-2': 'ü/ö 1' }],
    ['PUT', 'hubspot', { id: '302' }, { hubspot: '302', 'sales_force-2': 'ü/ö 1' }],
    ['DELETE', 'hubspot', undefined, { 'sales_force-2': 'ü/ö 1' }],
    ['DELETE', 'sales_force-2', undefined, {}],
  ] as const) {
    const answer = await tenant.call(method, `/contacts/${id}/crm_ids/${system}`, body)
    assert.equal(answer.status, 200)
    const { data } = answer.body
    assert.deepEqual(data, { ...previous, crm_ids, updated_at: data.updated_at })
    assert.ok(data.updated_at > previous.updated_at, 'it counts as an update')
    const fetched = await tenant.call('GET', `/contacts/${id}`)
    assert.deepEqual(fetched.body.data, data)
    assert.equal(answer.headers.get('etag'), fetched.headers.get('etag'))
    previous = data
  }
  const events = await eventsOf(pool, tenant)
  assert.equal(events.filter(({ type }) => type === 'contact.updated').length, 6)
  assert.ok(previous.updated_at > updated_at)
})

test('only get returns crm_ids', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant)
  await tenant.call('PUT', `/contacts/${id}/crm_ids/hubspot`, { id: '1' })
  const patched = await tenant.call('PATCH', `/contacts/${id}`, { notes: 'x' })
  const listed = await tenant.call('GET', '/contacts')
  assert.equal('crm_ids' in patched.body.data, false)
  assert.equal('crm_ids' in listed.body.data[0], false)
  assert.deepEqual((await get(tenant, id)).crm_ids, { hubspot: '1' })
})

test('removing a CRM id that does not exist is 404 and changes nothing', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant)
  await tenant.call('PUT', `/contacts/${id}/crm_ids/hubspot`, { id: '1' })
  const before = await get(tenant, id)
  const { status, body } = await tenant.call('DELETE', `/contacts/${id}/crm_ids/zoho`)
  assert.deepEqual([status, body.error.code], [404, 'NOT_FOUND'])
  assert.deepEqual(await get(tenant, id), before)
})

test('an id that another contact has in the same system is rejected and changes nothing', async () => {
  const tenant = await workspace()
  const holder = await create(tenant)
  const { id } = await create(tenant)
  await tenant.call('PUT', `/contacts/${holder.id}/crm_ids/hubspot`, { id: '301' })
  await tenant.call('PUT', `/contacts/${id}/crm_ids/hubspot`, { id: '302' })
  const before = await get(tenant, id)
  const { status, body } = await tenant.call('PUT', `/contacts/${id}/crm_ids/hubspot`, { id: '301' })
  assert.deepEqual([status, body.error.code], [409, 'CONFLICT'])
  assert.partialDeepStrictEqual(body.error.details, { reason: 'already_exists', existing_id: holder.id })
  assert.deepEqual(await get(tenant, id), before)
  const in_other_system = await tenant.call('PUT', `/contacts/${id}/crm_ids/zoho`, { id: '301' })
  assert.equal(in_other_system.status, 200, 'another system')
  const stranger = await workspace()
  const theirs = await create(stranger)
  const there = await stranger.call('PUT', `/contacts/${theirs.id}/crm_ids/hubspot`, { id: '301' })
  assert.equal(there.status, 200, 'another workspace')
})

test('an id can be reused after it is replaced or removed or its contact is deleted', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant)
  for (const [method, path, body] of [
    ['PUT', '/crm_ids/hubspot', { id: '302' }],
    ['DELETE', '/crm_ids/hubspot', undefined],
    ['DELETE', '', undefined],
  ] as const) {
    const holder = await create(tenant)
    await tenant.call('PUT', `/contacts/${holder.id}/crm_ids/hubspot`, { id: '301' })
    assert.equal((await tenant.call('PUT', `/contacts/${id}/crm_ids/hubspot`, { id: '301' })).status, 409)
    await tenant.call(method, `/contacts/${holder.id}${path}`, body)
    assert.equal((await tenant.call('PUT', `/contacts/${id}/crm_ids/hubspot`, { id: '301' })).status, 200)
    await tenant.call('DELETE', `/contacts/${id}/crm_ids/hubspot`)
  }
})

test('when many contacts get one id at the same time, one succeeds', async () => {
  const tenant = await workspace()
  const contacts = await Promise.all(Array.from({ length: 10 }, () => create(tenant)))
  const answers = await Promise.all(
    contacts.map(({ id }) => tenant.call('PUT', `/contacts/${id}/crm_ids/hubspot`, { id: '301' })),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(9).fill(409)])
  const { body } = await tenant.call('GET', '/contacts?crm_system=hubspot&crm_id=301')
  const winner = answers.find(({ status }) => status === 200)
  assert.deepEqual([body.data.length, body.data[0].id], [1, winner?.body.data.id])
})

test('concurrent ids of one contact in different systems are all stored', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant)
  const systems = Array.from({ length: 10 }, (_, index) => `system-${index}`)
  await Promise.all(systems.map((system) => tenant.call('PUT', `/contacts/${id}/crm_ids/${system}`, { id: system })))
  assert.deepEqual((await get(tenant, id)).crm_ids, Object.fromEntries(systems.map((system) => [system, system])))
})

test('a contact is found by its CRM id', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant)
  await create(tenant)
  const crm_id = 'a+b&c=d/é %'
  await tenant.call('PUT', `/contacts/${id}/crm_ids/hubspot`, { id: crm_id })
  for (const [crm_system, searched, found] of [
    ['hubspot', crm_id, [id]],
    ['hubspot', crm_id.toUpperCase(), []],
    ['hubspot', 'a+b', []],
    ['zoho', crm_id, []],
  ] as const) {
    const { status, body } = await tenant.call(
      'GET',
      `/contacts?${new URLSearchParams({ crm_system, crm_id: searched })}`,
    )
    assert.equal(status, 200)
    assert.deepEqual(
      body.data.map((contact: { id: string }) => contact.id),
      found,
    )
    assert.equal(body.pagination.total, found.length)
  }
  const other = await (await workspace()).call(
    'GET',
    `/contacts?${new URLSearchParams({ crm_system: 'hubspot', crm_id })}`,
  )
  assert.deepEqual(other.body.data, [])
})

test('crm_system and crm_id must be used together', async () => {
  const { call } = await workspace()
  for (const [query, missing] of [
    ['crm_system=hubspot', 'crm_id'],
    ['crm_id=301', 'crm_system'],
  ]) {
    const { status, body } = await call('GET', `/contacts?${query}`)
    assert.deepEqual([status, body.error.code], [400, 'VALIDATION_ERROR'])
    assert.equal(body.error.details.fields[0].path, missing)
  }
})

test('a system has 1 to 50 characters of a-z, 0-9, _ and -', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant)
  const good = ['a', '0', '_', '-', 'x'.repeat(50), '__proto__', 'constructor', 'tostring']
  for (const system of good) {
    assert.equal((await tenant.call('PUT', `/contacts/${id}/crm_ids/${system}`, { id: system })).status, 200, system)
  }
  const { crm_ids } = await get(tenant, id)
  assert.deepEqual(Object.entries(crm_ids).sort(), good.map((system) => [system, system]).sort())
  for (const system of [
    'x'.repeat(51),
    'HubSpot',
    'hub.spot',
    'hub%20spot',
    '%00',
    'h%C3%BC',
    'hub%2Fspot',
    'hub%0A',
  ]) {
    for (const [method, body] of [['PUT', { id: '1' }], ['DELETE']] as const) {
      const answer = await tenant.call(method, `/contacts/${id}/crm_ids/${system}`, body)
      assert.deepEqual([answer.status, answer.body.error?.code], [400, 'VALIDATION_ERROR'], system)
    }
    const is_blank_at_the_end = system.endsWith('%0A')
    const found = await tenant.call('GET', `/contacts?crm_system=${system}&crm_id=1`)
    assert.equal(found.status, is_blank_at_the_end ? 200 : 400, system)
  }
  assert.equal((await eventsOf(pool, tenant)).length, 1 + good.length)
})

test('the body has only a CRM id of 1 to 255 characters', async () => {
  const tenant = await workspace()
  const contact = await create(tenant)
  const path = `/contacts/${contact.id}/crm_ids/hubspot`
  for (const id of ['x', 'x'.repeat(255), '🙂'.repeat(255)]) {
    const { status, body } = await tenant.call('PUT', path, { id: ` ${id} ` })
    assert.deepEqual([status, body.data?.crm_ids.hubspot], [200, id])
  }
  const before = await get(tenant, contact.id)
  const bad = ['', '  ', null, 301, true, ['301'], { id: '301' }, 'x'.repeat(256), 'a\0b', 'a\nb', '\ud800']
  for (const body of [
    ...bad.map((id) => ({ id })),
    {},
    [],
    null,
    '301',
    301,
    { crm_id: '301' },
    { id: '301', system: 'x' },
  ]) {
    const answer = await tenant.call('PUT', path, JSON.stringify(body), { 'content-type': 'application/json' })
    assert.deepEqual([answer.status, answer.body.error?.code], [400, 'VALIDATION_ERROR'], JSON.stringify(body))
  }
  assert.deepEqual(await get(tenant, contact.id), before)
})
