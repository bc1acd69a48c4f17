import assert from 'node:assert/strict'
import { test } from 'node:test'
import { create, eventsOf, get, profile, unknown_id } from '../support/contacts.ts'
import { serve } from '../support/harness.ts'
import { createBytesRejectionCheck, parseResponse, rawCreate, rawRequest } from '../support/raw-http.ts'
import { newContact } from '../support/samples.ts'

const server = await serve()
const { workspace, fetch, pool, sendBytes } = server
const refuses = createBytesRejectionCheck(server)

test('a malformed id gets the same 404 as an unknown one, with every method', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, profile)
  const before = await get(tenant, id)
  const forms = [id.toUpperCase(), id.replaceAll('-', ''), `{${id}}`, `urn:uuid:${id}`, `${id}0`, id.slice(1)]
  const around = [
    `${id}%20`,
    `%20${id}`,
    `${id}%0A`,
    `${id}%00`,
    `${id}//`,
    `${id}%2F`,
    `${id}%5C`,
    `${id};a=b`,
    `${id}.json`,
  ]
  const odd = [
    'x',
    '0',
    '-1',
    'null',
    '%00',
    '%2e%2e',
    '%F0%9F%99%82',
    "'%20or%201=1",
    '%zz',
    '%',
    '%E2%82',
    '*',
    '__proto__',
  ]
  const long = ['a'.repeat(499), 'a'.repeat(501), 'a'.repeat(10_000), '%41'.repeat(3_000), 'a/'.repeat(5_000)]
  const seen = new Set<string>()
  for (const other of [unknown_id, ...forms, ...around, ...odd, ...long]) {
    for (const [method, body] of [['GET'], ['PATCH', { notes: 'x' }], ['DELETE']] as const) {
      const answer = await tenant.call(method, `/contacts/${other}`, body)
      assert.equal(answer.status, 404, `${method} /contacts/${other.slice(0, 100)}`)
      seen.add(`${answer.body.error.code} ${answer.body.error.message}`)
    }
  }
  assert.equal(seen.size, 1, 'it is the same 404')
  assert.deepEqual(await get(tenant, id), before)
})

test('an unknown path gets 404', async () => {
  const tenant = await workspace()
  const paths = ['/api', '/api/v1', '/api/v1/', '/api/v2/contacts', '/v1', '/contacts', '/api/v1/nowhere', '//', '/%']
  const near = [
    '/api/v1/contacts//',
    '/app/contacts/',
    '/api/v1/Contacts',
    '/api/v1//contacts',
    '/api/v1/contact',
    '/API/V1/contacts',
    '/api/v1/%63ontacts%00',
  ]
  const more = [
    '/api/v1/agents/x/y',
    '/../../etc/passwd',
    '/api/v1/../../etc/passwd',
    `/${'a'.repeat(10_000)}`,
    `/${'%2F'.repeat(3_000)}`,
  ]
  const bodies = [
    rawRequest(tenant, 'QUERY /nowhere'),
    rawRequest(tenant, 'POST /nowhere', ['Content-Type:']),
    rawRequest(tenant, 'PUT /api/v1/nowhere', ['Content-Type: nonsense', 'Content-Length: 2'], '{}'),
    rawRequest(tenant, 'PATCH /api/v2/contacts', ['Content-Type: application/json', 'Content-Length: 1048577']),
  ]
  await refuses(
    tenant,
    [...[...paths, ...near, ...more].map((path) => rawRequest(tenant, `GET ${path}`)), ...bodies],
    404,
    'NOT_FOUND',
  )
})

test('a query of 10 kB is rejected', async () => {
  const { call } = await workspace()
  for (const query of [
    `search=${'a'.repeat(10_000)}`,
    `${'a'.repeat(10_000)}=1`,
    'limit=1&'.repeat(1_250),
    'a[]&'.repeat(2_500),
  ]) {
    const { status, body } = await call('GET', `/contacts?${query}`)
    assert.deepEqual([status, body.error.code], [400, 'VALIDATION_ERROR'], query.slice(0, 20))
  }
})

test('headers of 20 kB get 431', async () => {
  const tenant = await workspace()
  const many = Array.from({ length: 400 }, (_, index) => `X-Header-${index}: ${'x'.repeat(40)}`)
  await refuses(
    tenant,
    [
      rawRequest(tenant, 'GET /api/v1/contacts', [`X-Header: ${'x'.repeat(20_000)}`]),
      rawRequest(tenant, 'GET /api/v1/contacts', many),
      rawRequest(tenant, `GET /api/v1/contacts?search=${'x'.repeat(20_000)}`),
    ],
    431,
    'HEADERS_TOO_LARGE',
  )
})

test('Authorization and Content-Type are rejected if sent twice', async () => {
  const tenant = await workspace()
  const body = JSON.stringify(newContact())
  const length = `Content-Length: ${body.length}`
  await refuses(
    tenant,
    [
      rawCreate(tenant, [length, `Authorization: Bearer ${tenant.key}`], body),
      rawCreate(tenant, [length, 'Authorization: Bearer x'], body),
      rawRequest(tenant, 'GET /api/v1/contacts', [`authorization: Bearer ${tenant.key}`]),
    ],
    401,
    'UNAUTHORIZED',
  )
  await refuses(
    tenant,
    ['application/json', 'text/plain'].map((type) => rawCreate(tenant, [length, `Content-Type: ${type}`], body)),
    415,
    'UNSUPPORTED_MEDIA_TYPE',
  )
})

test('an unsupported method gets 405 with the supported ones in Allow', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant)
  const others = ['PUT', 'OPTIONS', 'TRACE', 'PROPFIND', 'LOCK', 'QUERY', 'MKCOL', 'SEARCH', 'PURGE', 'SUBSCRIBE']
  for (const [path, allow, more] of [
    ['/contacts', 'GET, HEAD, POST', ['PATCH', 'DELETE']],
    [`/contacts/${id}`, 'DELETE, GET, HEAD, PATCH', ['POST']],
    [`/contacts/${id}/crm_ids/hubspot`, 'DELETE, PUT', ['GET', 'HEAD', 'POST', 'PATCH']],
    ['/agents', 'GET, HEAD, POST', ['PATCH', 'DELETE']],
    [`/agents/${unknown_id}`, 'DELETE, GET, HEAD, PATCH', ['POST']],
    [`/agents/${unknown_id}/versions`, 'GET, HEAD, POST', ['PATCH', 'DELETE']],
    [`/agents/${unknown_id}/deployments`, 'GET, HEAD', ['POST', 'PATCH', 'DELETE']],
  ] as const) {
    for (const prefix of ['/api/v1', '/v1']) {
      for (const method of [...others, ...more].filter((other) => !allow.includes(other))) {
        const said = await sendBytes(rawRequest(tenant, `${method} ${prefix}${path}`))
        const head = method === 'HEAD' ? said : parseResponse(said).head
        assert.match(said, /^HTTP\/1\.1 405 /, `${method} ${path}`)
        const listed = /^allow: (.*)$/im.exec(head)?.[1]?.split(', ').sort().join(', ')
        assert.equal(listed, allow, `${method} ${path}`)
      }
    }
  }
  assert.equal((await eventsOf(pool, tenant)).length, 1)
})

test('HEAD gets the response of GET without the body', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant)
  for (const path of ['/contacts', `/contacts/${id}`, '/agents', `/contacts/${unknown_id}`, '/contacts?limit=0']) {
    const [got, head] = [await tenant.call('GET', path), await tenant.call('HEAD', path)]
    assert.deepEqual([head.status, head.text], [got.status, ''], path)
    for (const name of ['content-type', 'etag', 'content-length']) {
      assert.equal(head.headers.get(name), got.headers.get(name), `${name} of ${path}`)
    }
    assert.ok(head.headers.get('x-request-id'))
  }
  assert.equal((await fetch('HEAD', '/api/v1/contacts')).status, 401)
})
