import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, serve } from '../support/harness.ts'
import { newContact } from '../support/samples.ts'

const origin = 'https://app.example.com'
const closed = await serve()
const open = await serve({ cors_origins: ['https://other.example.com', origin] })
const open_to_all = await serve({ cors_origins: ['*'] })

const preflight = {
  origin,
  'access-control-request-method': 'PATCH',
  'access-control-request-headers': 'authorization',
}

const corsHeaders = ({ headers }: Answer) => [...headers.keys()].filter((name) => name.startsWith('access-control-'))

test('by default no page of another origin may send requests', async () => {
  const { call } = await closed.workspace()
  const answer = await call('GET', '/contacts', undefined, { origin })
  assert.deepEqual([answer.status, corsHeaders(answer), answer.headers.get('vary')], [200, [], null])
  const asked = await closed.fetch('OPTIONS', '/api/v1/contacts', undefined, preflight)
  assert.deepEqual([asked.status, corsHeaders(asked)], [405, []])
})

test('a page of an allowed origin may ask first, without a key', async () => {
  for (const path of ['/api/v1/contacts', '/v1/contacts/x', '/api/v1/contacts/']) {
    const { status, headers, text } = await open.fetch('OPTIONS', path, undefined, preflight)
    assert.deepEqual([status, text, headers.get('access-control-allow-origin')], [204, '', origin])
    assert.match(headers.get('access-control-allow-methods') ?? '', /PATCH/)
    const allowed = headers.get('access-control-allow-headers') ?? ''
    for (const name of ['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match'])
      assert.ok(allowed.includes(name))
    assert.equal(headers.get('access-control-allow-credentials'), null)
    assert.equal(headers.get('vary'), 'Origin')
  }
})

test('every answer of the API can be read by the page, errors and streams too', async () => {
  const { call } = await open.workspace()
  const { id } = (await call('POST', '/contacts', newContact(), { origin })).body.data
  for (const [path, status] of [
    ['/contacts', 200],
    [`/contacts/${id}`, 200],
    ['/contacts?limit=0', 400],
    ['/contacts/x', 404],
    ['/nowhere', 404],
    ['/events/stream', 200],
    ['/contacts/export', 200],
  ] as const) {
    const answer = await call('GET', path, undefined, { origin })
    assert.equal(answer.status, status, path)
    assert.deepEqual(
      [answer.headers.get('access-control-allow-origin'), answer.headers.get('vary')],
      [origin, 'Origin'],
    )
    const exposed = answer.headers.get('access-control-expose-headers') ?? ''
    for (const name of ['X-Request-Id', 'RateLimit', 'RateLimit-Policy', 'ETag', 'Traceparent', 'Retry-After'])
      assert.ok(exposed.split(', ').includes(name), name)
  }
  const without_key = await open.fetch('GET', '/api/v1/contacts', undefined, { origin })
  assert.deepEqual([without_key.status, without_key.headers.get('access-control-allow-origin')], [401, origin])
})

test('other origins, other paths and requests without an origin get none of it', async () => {
  const { call } = await open.workspace()
  for (const headers of [{ origin: 'https://app.example.com.evil' }, { origin: 'null' }, {}] as Record<
    string,
    string
  >[]) {
    const answer = await call('GET', '/contacts', undefined, headers)
    assert.deepEqual([answer.status, corsHeaders(answer), answer.headers.get('vary')], [200, [], 'Origin'])
  }
  const other = await open.fetch('OPTIONS', '/api/v1/contacts', undefined, {
    ...preflight,
    origin: 'https://evil.example',
  })
  assert.deepEqual([other.status, corsHeaders(other)], [405, []])
  const session = await open.fetch('OPTIONS', '/app/api/v1/contacts', undefined, preflight)
  assert.deepEqual([session.status, corsHeaders(session)], [405, []])
})

test('a star allows all origins', async () => {
  const { call } = await open_to_all.workspace()
  const { headers } = await call('GET', '/contacts', undefined, { origin })
  assert.deepEqual([headers.get('access-control-allow-origin'), headers.get('vary')], ['*', null])
})
