import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create, eventsOf, get, profile } from '../support/contacts.ts'
import { type Answer, serve, type Tenant } from '../support/harness.ts'
import { newAgent, newApiKey, newImport, newIntegration, newWebhook } from '../support/samples.ts'

const { workspace, pool } = await serve()

const etagOf = ({ headers }: Answer) => String(headers.get('etag'))

/** Every write to a contact, with a body that changes it. */
const writes = [
  ['PATCH', '', { notes: 'changed' }],
  ['PATCH', '', {}],
  ['PUT', '/crm_ids/hubspot', { id: '2' }],
  ['DELETE', '/crm_ids/hubspot', undefined],
  ['DELETE', '', undefined],
] as const

/** Creates a contact with a CRM id. Returns its current ETag and an earlier one. */
async function createChanged(tenant: Tenant) {
  const { id } = await create(tenant, profile)
  const stale = etagOf(await tenant.call('GET', `/contacts/${id}`))
  const changed = await tenant.call('PUT', `/contacts/${id}/crm_ids/hubspot`, { id: id.slice(-12) })
  return { id, stale, current: etagOf(changed) }
}

test('every response with one resource has its ETag, and lists have none', async () => {
  const { call } = await workspace()
  for (const path of ['/contacts', '/agents']) {
    const input = path === '/agents' ? newAgent() : { phone_number: '+14155550100' }
    const created = await call('POST', path, input)
    assert.match(etagOf(created), /^"[^"]+"$/)
    const got = await call('GET', `${path}/${created.body.data.id}`)
    assert.equal(etagOf(got), etagOf(created))
    assert.equal((await call('GET', path)).headers.get('etag'), null)
  }
})

test('the ETag changes with each change of the resource, and only then', async () => {
  const tenant = await workspace()
  const { id, stale, current } = await createChanged(tenant)
  assert.notEqual(stale, current)
  assert.equal(etagOf(await tenant.call('PATCH', `/contacts/${id}`, {})), current)
  const patched = etagOf(await tenant.call('PATCH', `/contacts/${id}`, { notes: 'x' }))
  assert.notEqual(patched, current)
  assert.equal(etagOf(await tenant.call('GET', `/contacts/${id}`)), patched)
})

test('If-None-Match with the current ETag gets 304 without a body', async () => {
  const tenant = await workspace()
  const { id, stale, current } = await createChanged(tenant)
  for (const known of [current, `W/${current}`, `${stale}, ${current}`, `"x" ,${current}`, `"x", W/${current}`, '*']) {
    for (const method of ['GET', 'HEAD']) {
      const answer = await tenant.call(method, `/contacts/${id}`, undefined, { 'if-none-match': known })
      assert.deepEqual([answer.status, answer.text, etagOf(answer)], [304, '', current], known)
      assert.ok(answer.headers.get('x-request-id'))
    }
  }
  for (const known of [stale, `W/${stale}`, '"x", "y"', current.slice(1, -1), '', '"*"']) {
    const answer = await tenant.call('GET', `/contacts/${id}`, undefined, { 'if-none-match': known })
    assert.deepEqual([answer.status, answer.body.data.id], [200, id], known)
  }
})

test('If-None-Match for a deleted resource gets 404', async () => {
  const tenant = await workspace()
  const { id, current } = await createChanged(tenant)
  await tenant.call('DELETE', `/contacts/${id}`)
  for (const known of [current, '*']) {
    assert.equal((await tenant.call('GET', `/contacts/${id}`, undefined, { 'if-none-match': known })).status, 404)
  }
})

test('If-None-Match works for agents too', async () => {
  const { call } = await workspace()
  const created = await call('POST', '/agents', newAgent())
  const path = `/agents/${created.body.data.id}`
  assert.equal((await call('GET', path, undefined, { 'if-none-match': etagOf(created) })).status, 304)
  assert.equal((await call('GET', path, undefined, { 'if-none-match': '"x"' })).status, 200)
})

test('a write with the current ETag in If-Match succeeds', async () => {
  const tenant = await workspace()
  for (const [method, path, body] of writes) {
    const { id, stale, current } = await createChanged(tenant)
    for (const known of [`${stale}, ${current}`, '*']) {
      const patched = await tenant.call('PATCH', `/contacts/${id}`, {}, { 'if-match': known })
      assert.equal(patched.status, 200, known)
    }
    const answer = await tenant.call(method, `/contacts/${id}${path}`, body, { 'if-match': current })
    assert.equal(answer.status, 200, `${method} ${path}`)
  }
})

test('a write with a stale ETag in If-Match gets 412, and nothing changes', async () => {
  const tenant = await workspace()
  for (const [method, path, body] of writes) {
    const { id, stale, current } = await createChanged(tenant)
    const before = [await get(tenant, id), (await eventsOf(pool, tenant)).length]
    for (const known of [stale, `W/${current}`, `${stale}, "x"`, current.slice(1, -1), '"*"', '']) {
      const answer = await tenant.call(method, `/contacts/${id}${path}`, body, { 'if-match': known })
      assert.deepEqual([answer.status, answer.body.error?.code], [412, 'PRECONDITION_FAILED'], `${method} ${known}`)
    }
    assert.deepEqual([await get(tenant, id), (await eventsOf(pool, tenant)).length], before)
  }
})

test('If-Match applies to a GET too', async () => {
  const tenant = await workspace()
  const { id, stale, current } = await createChanged(tenant)
  for (const [known, expected] of [
    [current, 200],
    ['*', 200],
    [stale, 412],
  ] as const) {
    const answer = await tenant.call('GET', `/contacts/${id}`, undefined, { 'if-match': known })
    assert.equal(answer.status, expected, known)
  }
})

test('If-Match for a resource that does not exist gets 404', async () => {
  const tenant = await workspace()
  const { id, current } = await createChanged(tenant)
  await tenant.call('DELETE', `/contacts/${id}`)
  for (const [method, path, body] of writes) {
    for (const known of [current, '*']) {
      const answer = await tenant.call(method, `/contacts/${id}${path}`, body, { 'if-match': known })
      assert.equal(answer.status, 404, `${method} ${path} ${known}`)
    }
  }
})

test('a request to an integration keeps its ETag, so that a busy one can be changed with If-Match', async () => {
  const { call, send } = await workspace()
  const { id, url } = (await call('POST', '/integrations', newIntegration())).body.data
  const get = () => call('GET', `/integrations/${id}`)
  const before = await get()
  await send(url, { phone: '+14155550100' })
  const after = await get()
  assert.notEqual(after.body.data.last_received_at, null)
  assert.equal(etagOf(after), etagOf(before))
  const patched = await call('PATCH', `/integrations/${id}`, { name: 'x' }, { 'if-match': etagOf(before) })
  assert.deepEqual([patched.status, etagOf(patched)], [200, etagOf(await get())])
  const stale = await call('PATCH', `/integrations/${id}`, { name: 'y' }, { 'if-match': etagOf(before) })
  assert.equal(stale.status, 412)
})

test('changes of imports, events, deliveries, keys and the overview change their ETags', async () => {
  const tenant = await workspace()
  const { call, work } = tenant
  const webhook = (await call('POST', '/webhooks', newWebhook({ url: 'inbox', events: ['contact.*'] }))).body.data.id
  const imported = (await call('POST', '/contacts/imports', newImport())).body.data.id
  const key = (await call('POST', '/api_keys', newApiKey())).body.data
  const contact = await create(tenant)
  const event = (await call('GET', '/events?type=contact.created')).body.data[0].id
  const addresses = [
    `/contacts/imports/${imported}`,
    `/events/${event}`,
    `/webhooks/${webhook}/deliveries/${event}`,
    `/api_keys/${key.id}`,
    '/overview',
  ]
  const before = await Promise.all(addresses.map((address) => call('GET', address)))
  await work()
  await call('DELETE', `/contacts/${contact.id}`)
  await call('DELETE', `/api_keys/${key.id}`)
  for (const [index, address] of addresses.entries()) {
    const known = etagOf(before[index] as Answer)
    const after = await call('GET', address, undefined, { 'if-none-match': known })
    assert.equal(after.status, 200, address)
    assert.notDeepEqual(after.body, before[index]?.body, address)
  }
})
