import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openApi } from '../../server/api.ts'
import { readConfig } from '../../server/config.ts'
import { openLog } from '../../server/kit/log.ts'
import { isCluster } from '../support/cluster.ts'
import { create, unknown_id } from '../support/contacts.ts'
import { type Answer, migrations, serve, testPool } from '../support/harness.ts'
import { metrics_headers, metricsOf } from '../support/metrics.ts'
import { newAgent, newContact } from '../support/samples.ts'

const { workspace, fetch } = await serve()

const pages = ['/health', '/ready', '/metrics', '/openapi.json']

/** One answer of every kind, with the request. */
async function everyKind(): Promise<[string, Answer][]> {
  const tenant = await workspace()
  const { id, phone_number } = await create(tenant)
  const reader = { authorization: `Bearer ${await tenant.newKey({ scopes: ['contacts:read'] })}` }
  const etag = String((await tenant.call('GET', `/contacts/${id}`)).headers.get('etag'))
  const requests: [string, string, unknown?, Record<string, string>?][] = [
    ['GET', '/contacts'],
    ['POST', '/contacts', newContact()],
    ['GET', `/contacts/${id}`],
    ['GET', `/contacts/${id}`, undefined, { 'if-none-match': etag }],
    ['PATCH', `/contacts/${id}`, { notes: 'x' }],
    ['PUT', `/contacts/${id}/crm_ids/hubspot`, { id: '1' }],
    ['DELETE', `/contacts/${id}/crm_ids/hubspot`],
    ['GET', '/agents'],
    ['POST', '/agents', newAgent()],
    ['POST', '/contacts', {}],
    ['POST', '/contacts', '{', { 'content-type': 'application/json' }],
    ['GET', '/contacts', undefined, { authorization: 'Bearer x' }],
    ['POST', '/contacts', {}, reader],
    ['GET', `/contacts/${unknown_id}`],
    ['GET', '/nothing'],
    ['GET', '/contacts/%zz'],
    ['PUT', '/contacts', {}],
    ['POST', '/contacts', { phone_number }],
    ['PATCH', `/contacts/${id}`, {}, { 'if-match': '"x"' }],
    ['POST', '/contacts', ' '.repeat(1024 * 1024 + 1), { 'content-type': 'application/json' }],
    ['POST', '/contacts', 'x', { 'content-type': 'text/plain' }],
    ['DELETE', `/contacts/${id}`],
  ]
  const answers: [string, Answer][] = []
  for (const [method, address, body, headers] of requests) {
    answers.push([`${method} ${address}`, await tenant.call(method, address, body, headers)])
  }
  return answers
}

test('every answer is in the envelope and has a unique request id', async () => {
  const answers = await everyKind()
  const ids = new Set<string>()
  for (const [request, { status, headers, body }] of answers) {
    ids.add(String(headers.get('x-request-id')))
    if (status === 304) continue
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8', request)
    if (status < 400) {
      assert.equal(body.success, true)
      const is_list = Array.isArray(body.data)
      assert.deepEqual(Object.keys(body), is_list ? ['success', 'data', 'pagination'] : ['success', 'data'], request)
      continue
    }
    assert.deepEqual(Object.keys(body), ['success', 'error'])
    assert.equal(body.success, false)
    assert.deepEqual(Object.keys(body.error), ['code', 'message', 'details'])
    assert.match(body.error.code, /^[A-Z_]+$/)
    assert.ok(body.error.message.length > 10, 'the message has enough words')
    assert.equal(body.error.details.request_id, headers.get('x-request-id'), request)
    if (body.error.code === 'VALIDATION_ERROR') assert.ok(Array.isArray(body.error.details.fields), request)
  }
  assert.equal(ids.size, answers.length)
  assert.equal(ids.has('null'), false)
  const statuses = new Set(answers.map(([, { status }]) => status))
  assert.deepEqual([...statuses].sort(), [200, 201, 304, 400, 401, 403, 404, 405, 409, 412, 413, 415])
})

test('answers are the same under /v1', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant)
  const key = { authorization: `Bearer ${tenant.key}` }
  for (const [method, address, body, headers] of [
    ['GET', '/contacts', undefined, key],
    ['GET', `/contacts/${id}`, undefined, key],
    ['GET', '/agents?limit=0', undefined, key],
    ['GET', `/contacts/${unknown_id}`, undefined, key],
    ['GET', '/contacts', undefined, {}],
    ['PATCH', `/contacts/${id}`, { surname: 'x' }, key],
    ['PUT', '/contacts', undefined, key],
    ['GET', '/nothing', undefined, key],
  ] as const) {
    const [base, alias] = [
      await fetch(method, `/api/v1${address}`, body, headers),
      await fetch(method, `/v1${address}`, body, headers),
    ]
    const withoutId = ({ text }: Answer) => text.replace(/"request_id":"[^"]*"/, '')
    assert.deepEqual([alias.status, withoutId(alias)], [base.status, withoutId(base)], `${method} ${address}`)
    for (const name of ['etag', 'allow', 'www-authenticate', 'content-type', 'cache-control']) {
      assert.equal(alias.headers.get(name), base.headers.get(name), name)
    }
  }
  const created = await fetch('POST', '/v1/contacts', newContact(), key)
  assert.equal(created.status, 201)
  assert.equal(created.headers.get('location'), `/api/v1/contacts/${created.body.data.id}`)
})

test('a Location starts with the path of the public URL', async () => {
  const behind = await serve({ public_url: 'https://example.com/parley' })
  const { call } = await behind.workspace()
  const { headers, body } = await call('POST', '/contacts', newContact())
  assert.equal(headers.get('location'), `/parley/api/v1/contacts/${body.data.id}`)
})

test('health and readiness need no key, and metrics a token of their own', async () => {
  const health = await fetch('GET', '/health')
  assert.deepEqual([health.status, health.body], [200, { status: 'ok' }])
  const ready = await fetch('GET', '/ready')
  assert.deepEqual([ready.status, ready.body], [200, { status: 'ready', ...(isCluster() && { nodes_down: 0 }) }])
  const figures = await fetch('GET', '/metrics', undefined, metrics_headers)
  assert.equal(figures.status, 200)
  assert.match(String(figures.headers.get('content-type')), /^text\/plain/)
  for (const page of pages) assert.ok((await fetch('GET', page)).headers.get('x-request-id'), page)
})

test('pages reject other methods with 405 and Allow', async () => {
  for (const page of pages) {
    assert.equal((await fetch('HEAD', page, undefined, metrics_headers)).status, 200, page)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const { status, headers, body } = await fetch(method, page, method === 'POST' ? 'x' : undefined)
      assert.deepEqual([status, body.error.code], [405, 'METHOD_NOT_ALLOWED'], `${method} ${page}`)
      assert.equal(headers.get('allow'), 'GET, HEAD')
    }
  }
})

test('metrics label routes by pattern and contain no id', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant, { first_name: 'Findme' })
  await tenant.call('GET', `/contacts/${id}?search=Findme`)
  await tenant.call('PUT', `/contacts/${id}/crm_ids/findme`, { id: 'findme' })
  await tenant.call('GET', '/contacts?search=Findme')
  await tenant.call('GET', '/findme')
  await tenant.call('GET', '/contacts/%zzfindme')
  const text = await metricsOf({ fetch })
  assert.match(text, /route="\/api\/v1\/contacts\/:id"/)
  assert.match(text, /method="PUT",route="\/api\/v1\/contacts\/:id\/crm_ids\/:system",status="200"/)
  assert.match(text, /status="404"/)
  assert.doesNotMatch(text, /findme/i)
  assert.doesNotMatch(text, /[0-9a-f]{8}-[0-9a-f]{4}-/)
  for (const secret of [id, tenant.id, tenant.key]) assert.equal(text.includes(secret), false)
})

test('a server whose migrations are not all applied, or without a database, is healthy but not ready', async () => {
  const newer = fs.mkdtempSync(path.join(os.tmpdir(), 'parley-migrations-'))
  fs.cpSync(migrations, newer, { recursive: true })
  fs.writeFileSync(path.join(newer, '9999_later.sql'), 'select 1')
  const own = fs.mkdtempSync(path.join(os.tmpdir(), 'parley-migrations-'))
  fs.cpSync(migrations, own, { recursive: true })
  const config = readConfig({ LOG_LEVEL: 'silent' })
  const pool = testPool()
  const apps = [newer, own].map((folder) => {
    const { app, markAsSetUp } = openApi(pool, config, folder, openLog('silent'))
    markAsSetUp()
    return app
  })
  after(async () => {
    for (const app of apps) await app.close()
    for (const folder of [newer, own]) fs.rmSync(folder, { recursive: true })
  })
  const ask = (url: string) => Promise.all(apps.map(async (app) => (await app.inject({ url })).statusCode))
  // The server tries a write once a second.
  const become = async (expected: number[]) => {
    while (`${await ask('/ready')}` !== `${expected}`) await sleep(50)
    assert.deepEqual(await ask('/health'), [200, 200])
  }
  await become([503, 200])
  // A server keeps to the files that it was started with.
  fs.cpSync(path.join(newer, '9999_later.sql'), path.join(own, '9999_later.sql'))
  await become([503, 200])
  await pool.close()
  await become([503, 503])
})
