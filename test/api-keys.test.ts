import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scopes } from '../server/api.ts'
import { sql } from '../server/kit/postgres/sql.ts'
import { type Answer, serve, type Tenant } from './support/harness.ts'
import { newApiKey } from './support/samples.ts'
import { at, someone } from './support/visitors.ts'

const server = await serve()
const { workspace, fetch, pool } = server

const listWith = (key: string) => fetch('GET', '/api/v1/contacts', undefined, { authorization: `Bearer ${key}` })

const create = ({ call }: Tenant, said: object = {}): Promise<Answer> => call('POST', '/api_keys', newApiKey(said))

const withKey = (key: string) => ({ authorization: `Bearer ${key}` })

async function stops(key: string): Promise<void> {
  const deadline = Date.now() + 10_000
  while ((await listWith(key)).status !== 401) assert.ok(Date.now() < deadline, 'it still works')
}

test('a key is shown when it is made, and never again', async () => {
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

test('a key has all scopes but those of keys unless they are named', async () => {
  const tenant = await workspace()
  const owner = await someone(server, { [tenant.id]: 'owner' })
  const make = async (said: object) =>
    (await owner.go('POST', '/api/v1/api_keys', { name: 'x', ...said }, at(tenant))).body.data.key
  const usual = await make({})
  assert.equal((await listWith(usual)).status, 200)
  for (const [method, body] of [['GET'], ['POST', newApiKey()]] as const) {
    const refused = await tenant.call(method, '/api_keys', body, withKey(usual))
    assert.equal(refused.status, 403)
  }
  const named = await make({ scopes: ['api_keys:read'] })
  assert.equal((await tenant.call('GET', '/api_keys', undefined, withKey(named))).status, 200)
})

test("a key can't give what it doesn't have, by rotation neither", async () => {
  const tenant = await workspace()
  const owner = await someone(server, { [tenant.id]: 'owner' })
  const weak = await tenant.newKey({ scopes: ['api_keys:write', 'contacts:read'] })
  const by_weak = (path: string, body: object) => tenant.call('POST', path, body, withKey(weak))
  for (const given of [null, ['contacts:write'], ['contacts:read', 'agents:read'], ['api_keys:read']]) {
    const refused = await by_weak('/api_keys', newApiKey({ scopes: given }))
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'FORBIDDEN'], String(given))
  }
  assert.equal((await by_weak('/api_keys', newApiKey({ scopes: ['contacts:read', 'api_keys:write'] }))).status, 201)
  const full = (await owner.go('POST', '/api/v1/api_keys', { name: 'full' }, at(tenant))).body.data
  assert.equal((await by_weak(`/api_keys/${full.id}/rotate`, {})).status, 403)
  assert.equal((await listWith(full.key)).status, 200)
})

test('what is no scope, or in the past, is refused at its field', async () => {
  const tenant = await workspace()
  for (const [said, path] of [
    [{ scopes: ['contacts:fly'] }, 'scopes.0'],
    [{ scopes: [] }, 'scopes'],
    [{ expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    [{ expires_at: 'soon' }, 'expires_at'],
    [{ name: ' ' }, 'name'],
  ] as const) {
    const answer = await create(tenant, said)
    assert.deepEqual([answer.status, answer.body.error.details.fields[0].path], [400, path])
  }
  assert.deepEqual((await create(tenant, { scopes: [...scopes, ...scopes] })).body.data.scopes, scopes)
})

test('a key stops when it expires, and when it is revoked', async () => {
  const tenant = await workspace()
  const brief = await create(tenant, { expires_at: new Date(Date.now() + 1500).toISOString() })
  assert.equal((await listWith(brief.body.data.key)).status, 200)
  await stops(brief.body.data.key)
  const { id, key } = (await create(tenant)).body.data
  assert.equal((await listWith(key)).status, 200)
  assert.deepEqual((await tenant.call('DELETE', `/api_keys/${id}`)).body.data, { deleted: true })
  await stops(key)
  const { revoked_at } = (await tenant.call('GET', `/api_keys/${id}`)).body.data
  assert.ok(revoked_at)
  assert.equal((await tenant.call('DELETE', `/api_keys/${id}`)).status, 200)
  assert.equal((await tenant.call('GET', `/api_keys/${id}`)).body.data.revoked_at, revoked_at)
})

test('a rotated key works on for the overlap, beside the new one', async () => {
  const tenant = await workspace()
  const old = (await create(tenant)).body.data
  const rotate = (body: object, id = old.id) => tenant.call('POST', `/api_keys/${id}/rotate`, body)
  assert.equal((await rotate({ overlap_seconds: 604_801 })).status, 400)
  const rotated = await rotate({})
  assert.equal(rotated.status, 201)
  assert.equal(rotated.headers.get('location'), `/api/v1/api_keys/${rotated.body.data.id}`)
  const { id, key, name, scopes: given, expires_at } = rotated.body.data
  assert.deepEqual([name, given, expires_at], [old.name, old.scopes, null])
  const ends = Date.parse((await tenant.call('GET', `/api_keys/${old.id}`)).body.data.expires_at)
  assert.ok(Math.abs(ends - Date.now() - 86_400_000) < 60_000)
  for (const one of [key, old.key]) assert.equal((await listWith(one)).status, 200)
  const again = await rotate({})
  assert.deepEqual([again.status, again.body.error.code], [409, 'INVALID_STATE'])

  assert.equal((await rotate({ overlap_seconds: 0 }, id)).status, 201)
  await stops(key)
  assert.equal((await listWith(old.key)).status, 200)
})

test('of many who rotate a key at once, one gets the new key', async () => {
  const tenant = await workspace()
  const { id } = (await create(tenant)).body.data
  const answers = await Promise.all(Array.from({ length: 4 }, () => tenant.call('POST', `/api_keys/${id}/rotate`, {})))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409])
  assert.equal((await tenant.call('GET', '/api_keys')).body.pagination.total, 3)
})

test('a rotation lets no key live longer than before, and no dead one live again', async () => {
  const tenant = await workspace()
  const soon = new Date(Date.now() + 3_600_000).toISOString()
  const { id } = (await create(tenant, { expires_at: soon })).body.data
  assert.equal((await tenant.call('POST', `/api_keys/${id}/rotate`, { overlap_seconds: 604_800 })).status, 201)
  assert.equal((await tenant.call('GET', `/api_keys/${id}`)).body.data.expires_at, soon)
  const revoked = (await create(tenant)).body.data
  await tenant.call('DELETE', `/api_keys/${revoked.id}`)
  assert.equal((await tenant.call('POST', `/api_keys/${revoked.id}/rotate`, {})).status, 409)
})

test('a new key lives as long as the one that it replaces', async () => {
  const tenant = await workspace()
  const lifetime_ms = 90 * 86_400_000
  const { id } = (await create(tenant, { expires_at: new Date(Date.now() + lifetime_ms).toISOString() })).body.data
  await pool.run(
    sql`update api_keys set created_at = created_at - interval '89 days', expires_at = expires_at - interval '89 days'
      where workspace_id = ${tenant.id} and id = ${id}`,
  )
  const { expires_at, created_at } = (await tenant.call('POST', `/api_keys/${id}/rotate`, {})).body.data
  assert.ok(Math.abs(Date.parse(expires_at) - Date.parse(created_at) - lifetime_ms) < 60_000)
  const forever = (await create(tenant, { expires_at: '9999-12-31T23:59:59.999Z' })).body.data
  assert.equal((await tenant.call('POST', `/api_keys/${forever.id}/rotate`, {})).status, 201)
})

test('an answer that shows a key is given again by its idempotency key, and kept sealed', async () => {
  const tenant = await workspace()
  const send = (body: object) => tenant.call('POST', '/api_keys', body, { 'idempotency-key': 'one' })
  const first = await send(newApiKey())
  const second = await send(newApiKey())
  assert.equal(second.headers.get('idempotent-replayed'), 'true')
  assert.equal(second.text, first.text)
  const kept = await pool.one<{ row: string }>(
    sql`select held::text as row from idempotency_keys as held where workspace_id = ${tenant.id}`,
  )
  assert.ok(!kept.row.includes(first.body.data.key) && !kept.row.includes(first.body.data.last_four))
  assert.equal((await send(newApiKey({ name: 'other' }))).status, 422)
  const missing = () =>
    tenant.call('POST', '/api_keys/01a1dd18-9904-726a-94bc-9e3b6ab9ad11/rotate', {}, { 'idempotency-key': 'two' })
  assert.equal((await missing()).status, 404)
  assert.equal((await missing()).headers.get('idempotent-replayed'), 'true')
})
