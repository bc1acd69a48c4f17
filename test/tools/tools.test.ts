import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inTransaction, on, openHooks } from '../../server/kit/at.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import * as tools from '../../server/tools/store.ts'
import { serve, type Tenant } from '../support/harness.ts'
import { newTool } from '../support/samples.ts'
import { inWorkspace, newPerson } from '../support/sessions.ts'

const server = await serve()
const { workspace, pool, at } = server

async function create(tenant: Tenant, fields: object = {}) {
  const created = await tenant.call('POST', '/tools', newTool(fields))
  assert.equal(created.status, 201, created.text)
  return created.body.data
}

test('a tool is created with a secret that is shown once, and headers whose values are never shown', async () => {
  const tenant = await workspace()
  const created = await create(tenant, { name: 'book_slot', headers: { 'X-Key': 'key-secret' } })
  const { id, secret, created_at, updated_at: _, ...rest } = created
  assert.deepEqual(rest, {
    kind: 'http',
    name: 'book_slot',
    description: 'Books a slot.',
    parameters: { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] },
    url: 'https://tools.example/book',
    method: 'POST',
    headers: { 'x-key': null },
    timeout_ms: 8_000,
    has_side_effects: true,
    say_while: null,
    calls_max: null,
    may_repeat: false,
    confirm: false,
    previous_secret_until: null,
  })
  assert.match(secret, /^whsec_/)
  for (const path of [`/tools/${id}`, '/tools']) {
    const { text } = await tenant.call('GET', path)
    assert.ok(text.includes(created_at) && !text.includes(secret) && !text.includes('key-secret'))
  }
  const [row] = await pool.many(sql`select secret, headers from tools where id = ${id}`)
  assert.ok(!JSON.stringify(row).includes(secret) && !JSON.stringify(row).includes('key-secret'))
})

test('only a name and a URL are required', async () => {
  const tenant = await workspace()
  const created = (await tenant.call('POST', '/tools', { name: 'a', url: 'https://tools.example/' })).body.data
  assert.deepEqual(
    [created.description, created.parameters, created.headers],
    [null, { type: 'object', properties: {} }, {}],
  )
})

const refused: [string, object][] = [
  ['name', { name: 'Book' }],
  ['name', { name: 'book-slot' }],
  ['name', { name: 'a'.repeat(65) }],
  ['name', { name: 'hand_over' }],
  ['url', { url: 'http://127.0.0.1/' }],
  ['url', { url: 'http://169.254.169.254/latest' }],
  ['url', { url: 'https://user:password@tools.example/' }],
  ['url', { url: 'tools' }],
  ['method', { method: 'HEAD' }],
  ['timeout_ms', { timeout_ms: 99 }],
  ['timeout_ms', { timeout_ms: 20_001 }],
  ['headers.Host', { headers: { Host: 'other.example' } }],
  ['headers.Content-Length', { headers: { 'Content-Length': '0' } }],
  ['headers.Webhook-Signature', { headers: { 'Webhook-Signature': 'v1,' } }],
  ['headers.Idempotency-Key', { headers: { 'Idempotency-Key': '1' } }],
  ['headers.a b', { headers: { 'a b': '1' } }],
  ['headers.a', { headers: { a: 'one\r\ntwo: 2' } }],
  ['headers.a', { headers: { a: 'ä' } }],
  ['headers', { headers: Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`h${index}`, 'x'])) }],
  ['parameters', { parameters: [] }],
  ['parameters', { parameters: { type: 'string' } }],
  ['parameters.properties.a.pattern', { parameters: properties({ a: { type: 'string', pattern: '(a+)+$' } }) }],
  ['parameters.properties.a.$ref', { parameters: properties({ a: { $ref: '#' } }) }],
  ['parameters.properties.a.uniqueItems', { parameters: properties({ a: { type: 'array', uniqueItems: true } }) }],
  ['parameters.properties.a.type', { parameters: properties({ a: { type: 'text' } }) }],
  ['parameters.properties.a.anyOf.0', { parameters: properties({ a: { anyOf: [1] } }) }],
  ['parameters.properties.a', { parameters: properties({ a: true }) }],
  ['parameters.required', { parameters: { type: 'object', required: ['a', 'a'] } }],
  ['parameters', { parameters: { type: 'object', description: 'x'.repeat(32_000) } }],
  ['parameters', { parameters: { type: 'object', description: '\u0000' } }],
  ['parameters', { parameters: { type: 'object', default: { '\ud800': 1 } } }],
]

function properties(fields: object): object {
  return { type: 'object', properties: fields }
}

for (const [index, [path, fields]] of refused.entries()) {
  test(`invalid ${path} is refused (${index})`, async () => {
    const tenant = await workspace()
    const answer = await tenant.call('POST', '/tools', newTool(fields))
    assert.equal(answer.status, 400, answer.text)
    assert.equal(answer.body.error.details.fields[0].path, path, answer.text)
    if (path === 'name') return
    const { id } = await create(tenant)
    assert.equal((await tenant.call('PATCH', `/tools/${id}`, fields)).status, 400)
  })
}

const nested = (levels: number): object =>
  levels === 0 ? { type: 'string' } : { type: 'object', properties: { a: nested(levels - 1) } }

test('schemas may be nested ten levels deep', async () => {
  const tenant = await workspace()
  await create(tenant, { parameters: nested(9) })
  assert.equal((await tenant.call('POST', '/tools', newTool({ parameters: nested(10) }))).status, 400)
})

test('a name is unique in its workspace and cannot be changed', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, { name: 'one' })
  const again = await tenant.call('POST', '/tools', newTool({ name: 'one' }))
  assert.deepEqual([again.status, again.body.error.code, again.body.error.details.existing_id], [409, 'CONFLICT', id])
  const renamed = await tenant.call('PATCH', `/tools/${id}`, { name: 'two' })
  assert.deepEqual([renamed.status, renamed.body.data.name], [200, 'one'])
  await create(await workspace(), { name: 'one' })
})

const headersOf = async (tenant: Tenant, id: string): Promise<Record<string, string>> => {
  const { headers } = await tools.getStored(at(tenant.id), id)
  return headers === null ? {} : JSON.parse(at(tenant.id).tools.seal.open(headers))
}

test('an update replaces headers, and keeps the values of those that are null', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, { headers: { one: '1', two: '2' } })
  const update = (change: object) => tenant.call('PATCH', `/tools/${id}`, change)
  await update({ headers: { ONE: null, three: '3', four: null } })
  assert.deepEqual(await headersOf(tenant, id), { one: '1', three: '3' })
  await update({ description: 'Other' })
  assert.deepEqual(await headersOf(tenant, id), { one: '1', three: '3' })
  const shown = (await tenant.call('GET', `/tools/${id}`)).body.data
  const { updated_at: _, ...after } = (await update(shown)).body.data
  const { updated_at: _before, ...before } = shown
  assert.deepEqual([after, await headersOf(tenant, id)], [before, { one: '1', three: '3' }])
  await update({ headers: {} })
  assert.deepEqual(await headersOf(tenant, id), {})
})

test('a change of scheme, host or port removes stored headers, unless they are sent again', async () => {
  const tenant = await workspace()
  for (const url of ['http://tools.example/book', 'https://other.example/book', 'https://tools.example:8443/book']) {
    const { id } = await create(tenant, { headers: { key: 'secret' } })
    await tenant.call('PATCH', `/tools/${id}`, { url, headers: { key: null } })
    assert.deepEqual(await headersOf(tenant, id), {}, url)
    await tenant.call('PATCH', `/tools/${id}`, { url: 'https://tools.example/', headers: { key: 'new' } })
    assert.deepEqual(await headersOf(tenant, id), { key: 'new' })
    await tenant.call('PATCH', `/tools/${id}`, { url: 'https://tools.example/other' })
    assert.deepEqual(await headersOf(tenant, id), { key: 'new' })
  }
})

test('a rotation returns a new secret, and keeps the previous one for a day', async () => {
  const tenant = await workspace()
  const { id, secret } = await create(tenant)
  const rotated = (await tenant.call('POST', `/tools/${id}/rotate_secret`)).body.data
  assert.notEqual(rotated.secret, secret)
  assert.ok(rotated.previous_secret_until > rotated.updated_at)
})

test('a tool that is used is not deleted', async () => {
  const tenant = await workspace()
  const { id, name } = await create(tenant)
  const use = { kind: 'agent', id }
  const hooks = openHooks([on(tools.findingUses, async (_at, input) => (input.name === name ? [use] : []))])
  await assert.rejects(
    inTransaction({ ...at(tenant.id), hooks }, (at) => tools.remove(at, { id, isCurrent: () => true })),
    { code: 'INVALID_STATE', details: { used_by: [use] } },
  )
  assert.equal((await tenant.call('DELETE', `/tools/${id}`)).status, 200)
  assert.equal((await tenant.call('GET', `/tools/${id}`)).status, 404)
})

test('a workspace can have 200 tools', async () => {
  const tenant = await workspace()
  for (let count = 0; count < 199; count += 1) await create(tenant)
  const last = await Promise.all([0, 1].map(() => tenant.call('POST', '/tools', newTool())))
  assert.deepEqual(last.map(({ status }) => status).sort(), [201, 409])
})

test('members and viewers see tools without their address and headers', async () => {
  const tenant = await workspace()
  const { id, name } = await create(tenant, { headers: { key: 'secret' } })
  for (const role of ['member', 'viewer', 'owner'] as const) {
    const person = await newPerson(server, { [tenant.id]: role })
    const list = await person.go('GET', '/api/v1/tools', undefined, inWorkspace(tenant))
    const one = await person.go('GET', `/api/v1/tools/${id}`, undefined, inWorkspace(tenant))
    const expected = role === 'owner' ? [name, 'https://tools.example/book', { key: null }] : [name, null, {}]
    for (const tool of [list.body.data[0], one.body.data])
      assert.deepEqual([tool.name, tool.url, tool.headers], expected)
  }
})
