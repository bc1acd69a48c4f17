import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../server/kit/postgres/sql.ts'
import { eventsOf, unknown_id } from './support/contacts.ts'
import { serve, type Tenant } from './support/harness.ts'
import { newAgent } from './support/samples.ts'

const { workspace, fetch, pool } = await serve()

async function create({ call }: Tenant, input: object = {}) {
  const { status, body } = await call('POST', '/agents', newAgent(input))
  assert.equal(status, 201)
  return body.data
}

test('an agent is created with its version v1 deployed', async () => {
  const { call, key } = await workspace()
  const input = { name: ' Reception ', description: 'Answers\nthe main line.', instructions: 'Greet.\n\tThen ask.' }
  const created = await call('POST', '/agents', input)
  assert.equal(created.status, 201)
  const { id, created_at, updated_at, deployed_version, ...rest } = created.body.data
  assert.deepEqual(rest, { ...input, name: 'Reception' })
  assert.deepEqual(Object.keys(deployed_version).sort(), ['id', 'version_label'])
  assert.equal(deployed_version.version_label, 'v1')
  assert.notEqual(deployed_version.id, id)
  assert.equal(created_at, updated_at)
  assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.equal(created.headers.get('location'), `/api/v1/agents/${id}`)
  const fetched = await fetch('GET', `/api/v1/agents/${id}`, undefined, { authorization: `Bearer ${key}` })
  assert.equal(fetched.status, 200)
  assert.deepEqual(fetched.body, created.body)
})

test('unset fields are "" and null', async () => {
  const tenant = await workspace()
  for (const input of [{}, { description: null, instructions: null }, { description: ' ', instructions: '' }]) {
    const { body } = await tenant.call('POST', '/agents', { name: 'Reception', ...input })
    assert.partialDeepStrictEqual(body.data, { description: '', instructions: null })
    assert.deepEqual((await tenant.call('GET', `/agents/${body.data.id}`)).body, body)
  }
})

test('create ignores read-only fields, so the body of GET can be sent', async () => {
  const tenant = await workspace()
  const first = await create(tenant)
  const { status, body } = await tenant.call('POST', '/agents', { ...first, workspace_id: unknown_id })
  assert.equal(status, 201)
  assert.notEqual(body.data.id, first.id)
  assert.notEqual(body.data.deployed_version.id, first.deployed_version.id)
  assert.equal(body.data.name, first.name)
})

test('two agents can have the same name', async () => {
  const tenant = await workspace()
  const [first, second] = [await create(tenant), await create(tenant)]
  assert.equal(first.name, second.name)
})

test('name, description and instructions can be as long as their limits, not longer', async () => {
  const tenant = await workspace()
  const limits = { name: 200, description: 2_000, instructions: 32_000 }
  for (const [field, limit] of Object.entries(limits)) {
    for (const character of ['x', '🙂']) {
      const longest = character.repeat(limit)
      assert.equal((await create(tenant, { [field]: ` ${longest} ` }))[field], longest)
      const { status, body } = await tenant.call('POST', '/agents', newAgent({ [field]: `${longest}x` }))
      assert.deepEqual([status, body.error.details.fields[0].path], [400, field])
    }
  }
})

test('an invalid agent is rejected and nothing is created', async () => {
  const tenant = await workspace()
  for (const [path, input] of [
    ['name', {}],
    ['name', { name: '' }],
    ['name', { name: '  ' }],
    ['name', { name: null }],
    ['name', { name: 5 }],
    ['name', { name: ['Reception'] }],
    ['name', { name: 'two\nlines' }],
    ['name', { name: 'nul\0' }],
    ['instructions', { name: 'Reception', instructions: 5 }],
    ['instructions', { name: 'Reception', instructions: 'nul\0' }],
    ['description', { name: 'Reception', description: {} }],
    ['description', { name: 'Reception', description: '\ud800' }],
    ['prompt', { name: 'Reception', prompt: 'x' }],
    ['Name', { name: 'Reception', Name: 'x' }],
  ] as const) {
    const { status, body } = await tenant.call('POST', '/agents', input)
    assert.deepEqual([status, body.error?.code], [400, 'VALIDATION_ERROR'], JSON.stringify(input))
    assert.equal(body.error.details.fields[0].path, path)
  }
  assert.equal((await tenant.call('GET', '/agents')).body.pagination.total, 0)
  assert.deepEqual(await eventsOf(pool, tenant), [])
})

test('agents are listed newest first with their pagination', async () => {
  const tenant = await workspace()
  const empty = await tenant.call('GET', '/agents')
  const pagination = { total: 0, limit: 20, offset: 0, has_more: false, next_cursor: null }
  assert.deepEqual(empty.body, { success: true, data: [], pagination })
  for (let count = 0; count < 5; count += 1) await create(tenant, { name: `${count}` })
  const all = await tenant.call('GET', '/agents')
  const keys = all.body.data.map(({ created_at, id }: { created_at: string; id: string }) => `${created_at} ${id}`)
  assert.deepEqual(keys, keys.toSorted().reverse())
  const page = await tenant.call('GET', '/agents?limit=2&offset=1')
  assert.deepEqual(page.body.data, all.body.data.slice(1, 3))
  assert.partialDeepStrictEqual(page.body.pagination, { total: 5, limit: 2, offset: 1, has_more: true })
  const past = await tenant.call('GET', '/agents?offset=5')
  assert.deepEqual([past.body.data, past.body.pagination.has_more, past.body.pagination.total], [[], false, 5])
})

test("an agent's versions are listed", async () => {
  const tenant = await workspace()
  const { id, deployed_version, created_at } = await create(tenant, { instructions: 'Greet.' })
  await create(tenant)
  const versions = await tenant.call('GET', `/agents/${id}/versions`)
  assert.equal(versions.status, 200)
  assert.deepEqual(versions.body, {
    success: true,
    data: [{ id: deployed_version.id, version_label: 'v1', instructions: 'Greet.', created_at }],
    pagination: { total: 1, limit: 20, offset: 0, has_more: false, next_cursor: null },
  })
  const past = await tenant.call('GET', `/agents/${id}/versions?limit=1&offset=1`)
  assert.deepEqual([past.body.data, past.body.pagination.total], [[], 1])
  assert.equal((await tenant.call('GET', `/agents/${id}/versions?limit=0`)).status, 400)
})

test('an agent of another workspace, an unknown id and an invalid id give the same 404', async () => {
  const tenant = await workspace()
  const { id } = await create(await workspace())
  const seen = new Set<string>()
  for (const other of [id, unknown_id, unknown_id.toUpperCase(), 'x', '%00', '%20', `${unknown_id}0`]) {
    for (const path of [`/agents/${other}`, `/agents/${other}/versions`]) {
      const { status, body } = await tenant.call('GET', path)
      assert.equal(status, 404, path)
      seen.add(`${body.error.code} ${body.error.message}`)
    }
  }
  assert.equal(seen.size, 1)
  assert.deepEqual((await tenant.call('GET', '/agents')).body.data, [])
})

test('creating an agent records an event in the same transaction', async () => {
  const tenant = await workspace()
  const agent = await create(tenant)
  const [event, ...none] = await eventsOf(pool, tenant)
  assert.deepEqual(none, [])
  assert.deepEqual([event?.type, event?.resource_id, event?.data], ['agent.created', agent.id, agent])
  const rows = await pool.many<{ written_by: string }>(
    sql`select xmin::text as written_by from agents where workspace_id = ${tenant.id}
      union all select xmin::text from agent_versions where workspace_id = ${tenant.id}`,
  )
  assert.deepEqual(
    rows.map(({ written_by }) => written_by),
    [event?.written_by, event?.written_by],
  )
})

test('an agent is created once for an Idempotency-Key', async () => {
  const tenant = await workspace()
  const input = newAgent()
  const first = await tenant.call('POST', '/agents', input, { 'idempotency-key': 'a' })
  const second = await tenant.call('POST', '/agents', input, { 'idempotency-key': 'a' })
  assert.deepEqual([second.status, second.text], [201, first.text])
  assert.equal(second.headers.get('location'), first.headers.get('location'))
  assert.equal((await tenant.call('GET', '/agents')).body.pagination.total, 1)
  assert.equal((await eventsOf(pool, tenant)).length, 1)
})
