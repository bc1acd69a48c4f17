import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scopes } from '../../server/api.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { waitUntil } from '../faults/client.ts'
import { type Answer, serve, type Tenant } from '../support/harness.ts'
import { movedTime } from '../support/moved-time.ts'
import { newApiKey } from '../support/samples.ts'
import { inWorkspace, newPerson } from '../support/sessions.ts'

const server = await serve()
const { workspace, fetch, pool } = server

const listWith = (key: string) => fetch('GET', '/api/v1/contacts', undefined, { authorization: `Bearer ${key}` })

const create = ({ call }: Tenant, fields: object = {}): Promise<Answer> => call('POST', '/api_keys', newApiKey(fields))

const withKey = (key: string) => ({ authorization: `Bearer ${key}` })

const waitUntilRejected = (key: string): Promise<void> =>
  waitUntil('the key is rejected', async () => (await listWith(key)).status === 401)

test('only the response that creates a key contains it', async () => {
  const tenant = await workspace()
  const created = await create(tenant)
  const { key, ...shown } = created.body.data
  assert.equal(created.status, 201)
  assert.match(key, /^pk_[0-9A-Za-z]{43}$/)
  assert.deepEqual([shown.name, shown.scopes, shown.last_four], ['CRM sync', ['contacts:read'], key.slice(-4)])
  assert.equal((await listWith(key)).status, 200)
  const got = await tenant.call('GET', `/api_keys/${shown.id}`)
  assert.deepEqual(got.body.data, shown)
  const listed = await tenant.call('GET', '/api_keys')
  assert.deepEqual(listed.body.data[0], shown)
  assert.ok(!listed.text.includes(key))
})

test('a key without a list of scopes has all scopes except those for API keys', async () => {
  const tenant = await workspace()
  const owner = await newPerson(server, { [tenant.id]: 'owner' })
  const createAsOwner = async (fields: object) =>
    (await owner.go('POST', '/api/v1/api_keys', { name: 'x', ...fields }, inWorkspace(tenant))).body.data.key
  const unlisted = await createAsOwner({})
  assert.equal((await listWith(unlisted)).status, 200)
  for (const [method, body] of [['GET'], ['POST', newApiKey()]] as const) {
    const rejected = await tenant.call(method, '/api_keys', body, withKey(unlisted))
    assert.equal(rejected.status, 403)
  }
  const listed = await createAsOwner({ scopes: ['api_keys:read'] })
  assert.equal((await tenant.call('GET', '/api_keys', undefined, withKey(listed))).status, 200)
})

test("a key can't grant scopes that it doesn't have, not even by rotating another key", async () => {
  const tenant = await workspace()
  const owner = await newPerson(server, { [tenant.id]: 'owner' })
  const weak = await tenant.newKey({ scopes: ['api_keys:write', 'contacts:read'] })
  const callWithWeak = (path: string, body: object) => tenant.call('POST', path, body, withKey(weak))
  for (const granted of [null, ['contacts:write'], ['contacts:read', 'agents:read'], ['api_keys:read']]) {
    const rejected = await callWithWeak('/api_keys', newApiKey({ scopes: granted }))
    assert.deepEqual([rejected.status, rejected.body.error.code], [403, 'FORBIDDEN'], String(granted))
  }
  assert.equal(
    (await callWithWeak('/api_keys', newApiKey({ scopes: ['contacts:read', 'api_keys:write'] }))).status,
    201,
  )
  const full = (await owner.go('POST', '/api/v1/api_keys', { name: 'full' }, inWorkspace(tenant))).body.data
  assert.equal((await callWithWeak(`/api_keys/${full.id}/rotate`, {})).status, 403)
  assert.equal((await listWith(full.key)).status, 200)
})

test('an unknown scope, an expiry in the past or an empty name is an error of that field', async () => {
  const tenant = await workspace()
  for (const [fields, path] of [
    [{ scopes: ['contacts:fly'] }, 'scopes.0'],
    [{ scopes: [] }, 'scopes'],
    [{ expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    [{ expires_at: 'soon' }, 'expires_at'],
    [{ name: ' ' }, 'name'],
  ] as const) {
    const answer = await create(tenant, fields)
    assert.deepEqual([answer.status, answer.body.error.details.fields[0].path], [400, path])
  }
  assert.deepEqual((await create(tenant, { scopes: [...scopes, ...scopes] })).body.data.scopes, scopes)
})

test('a key stops working when it expires and when it is revoked', async () => {
  const tenant = await workspace()
  const short_lived = await create(tenant, { expires_at: new Date(Date.now() + 1500).toISOString() })
  assert.equal((await listWith(short_lived.body.data.key)).status, 200)
  await waitUntilRejected(short_lived.body.data.key)
  const { id, key } = (await create(tenant)).body.data
  assert.equal((await listWith(key)).status, 200)
  assert.deepEqual((await tenant.call('DELETE', `/api_keys/${id}`)).body.data, { deleted: true })
  await waitUntilRejected(key)
  const { revoked_at } = (await tenant.call('GET', `/api_keys/${id}`)).body.data
  assert.ok(revoked_at)
  assert.equal((await tenant.call('DELETE', `/api_keys/${id}`)).status, 200)
  assert.equal((await tenant.call('GET', `/api_keys/${id}`)).body.data.revoked_at, revoked_at)
})

test('a rotated key still works during the overlap, like the new one', async () => {
  const tenant = await workspace()
  const old = (await create(tenant)).body.data
  const rotate = (body: object, id = old.id) => tenant.call('POST', `/api_keys/${id}/rotate`, body)
  assert.equal((await rotate({ overlap_seconds: 604_801 })).status, 400)
  const rotated = await rotate({})
  assert.equal(rotated.status, 201)
  assert.equal(rotated.headers.get('location'), `/api/v1/api_keys/${rotated.body.data.id}`)
  const { id, key, name, scopes: granted, expires_at } = rotated.body.data
  assert.deepEqual([name, granted, expires_at], [old.name, old.scopes, null])
  const ends = Date.parse((await tenant.call('GET', `/api_keys/${old.id}`)).body.data.expires_at)
  assert.ok(Math.abs(ends - Date.now() - 86_400_000) < 60_000)
  for (const valid of [key, old.key]) assert.equal((await listWith(valid)).status, 200)
  const again = await tenant.call('POST', `/api_keys/${old.id}/rotate`)
  assert.deepEqual([again.status, again.body.error.code], [409, 'INVALID_STATE'])

  assert.equal((await rotate({ overlap_seconds: 0 }, id)).status, 201)
  await waitUntilRejected(key)
  assert.equal((await listWith(old.key)).status, 200)
})

test('of concurrent rotations of a key, one succeeds', async () => {
  const tenant = await workspace()
  const { id } = (await create(tenant)).body.data
  const answers = await Promise.all(Array.from({ length: 4 }, () => tenant.call('POST', `/api_keys/${id}/rotate`, {})))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409])
  assert.equal((await tenant.call('GET', '/api_keys')).body.pagination.total, 3)
})

test('a rotation extends no expiry, and a revoked key cannot be rotated', async () => {
  const tenant = await workspace()
  const soon = new Date(Date.now() + 3_600_000).toISOString()
  const { id } = (await create(tenant, { expires_at: soon })).body.data
  assert.equal((await tenant.call('POST', `/api_keys/${id}/rotate`, { overlap_seconds: 604_800 })).status, 201)
  assert.equal((await tenant.call('GET', `/api_keys/${id}`)).body.data.expires_at, soon)
  const revoked = (await create(tenant)).body.data
  await tenant.call('DELETE', `/api_keys/${revoked.id}`)
  assert.equal((await tenant.call('POST', `/api_keys/${revoked.id}/rotate`, {})).status, 409)
})

test('a rotated key gets a new key with the same lifetime', async () => {
  const tenant = await workspace()
  const lifetime_ms = 90 * 86_400_000
  const { id } = (await create(tenant, { expires_at: new Date(Date.now() + lifetime_ms).toISOString() })).body.data
  await pool.run(
    sql`update api_keys
      set created_at = ${movedTime('created_at', '-89 days')}, expires_at = ${movedTime('expires_at', '-89 days')}
      where workspace_id = ${tenant.id} and id = ${id}`,
  )
  const { expires_at, created_at } = (await tenant.call('POST', `/api_keys/${id}/rotate`, {})).body.data
  assert.ok(Math.abs(Date.parse(expires_at) - Date.parse(created_at) - lifetime_ms) < 60_000)
  const never_expiring = (await create(tenant, { expires_at: '9999-12-31T23:59:59.999Z' })).body.data
  assert.equal((await tenant.call('POST', `/api_keys/${never_expiring.id}/rotate`, {})).status, 201)
})

test('a response with a key is replayed by its idempotency key, and stored encrypted', async () => {
  const tenant = await workspace()
  const send = (body: object) => tenant.call('POST', '/api_keys', body, { 'idempotency-key': 'one' })
  const first = await send(newApiKey())
  const second = await send(newApiKey())
  assert.equal(second.headers.get('idempotent-replayed'), 'true')
  assert.equal(second.text, first.text)
  const stored = await pool.one<{ row: string }>(
    sql`select stored::text as row from idempotency_keys as stored where workspace_id = ${tenant.id}`,
  )
  assert.ok(!stored.row.includes(first.body.data.key) && !stored.row.includes(first.body.data.last_four))
  assert.equal((await send(newApiKey({ name: 'other' }))).status, 422)
  const rotateMissing = () =>
    tenant.call('POST', '/api_keys/01a1dd18-9904-726a-94bc-9e3b6ab9ad11/rotate', {}, { 'idempotency-key': 'two' })
  assert.equal((await rotateMissing()).status, 404)
  assert.equal((await rotateMissing()).headers.get('idempotent-replayed'), 'true')
})
