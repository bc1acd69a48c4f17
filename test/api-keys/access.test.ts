import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openApi } from '../../server/api.ts'
import { authenticator } from '../../server/api-keys/authenticate.ts'
import * as api_keys from '../../server/api-keys/store.ts'
import { newToken } from '../../server/api-keys/token.ts'
import { readConfig } from '../../server/config.ts'
import { inTransaction } from '../../server/kit/at.ts'
import * as clock from '../../server/kit/clock.ts'
import { newSecret } from '../../server/kit/crypto/secret.ts'
import { openLog } from '../../server/kit/log.ts'
import type { Pool } from '../../server/kit/postgres/pool.ts'
import { type Sql, sql } from '../../server/kit/postgres/sql.ts'
import { create, eventsOf, unknown_id } from '../support/contacts.ts'
import { type Answer, migrations, serve, type Tenant, testPool } from '../support/harness.ts'
import { parseResponse, rawRequest } from '../support/raw-http.ts'
import { newContact } from '../support/samples.ts'
import { inWorkspace, newPerson } from '../support/sessions.ts'

const server = await serve()
const poll_every_ms = 20
const { workspace, fetch, pool, sendBytes } = server

const withKey = (key: string) => ({ authorization: `Bearer ${key}` })

const revoke = async (id: string) => {
  const owner = await api_keys.findOwner({ db: server.pool }, id)
  return owner && inTransaction(server.at(owner.workspace_id), (at) => api_keys.revokeAny(at, id))
}

const keyIdsOf = async ({ id }: Tenant) =>
  (await pool.many<{ id: string }>(sql`select id from api_keys where workspace_id = ${id}`)).map((key) => key.id)

test('missing, malformed, unknown, expired and revoked keys return the same 401', async () => {
  const tenant = await workspace()
  const { key } = tenant
  const expired = await tenant.newKey({ expires_at: clock.iso(clock.wall() - 1) })
  const other = await workspace()
  for (const id of await keyIdsOf(other)) await revoke(id)
  const malformed = [
    '',
    'Bearer',
    'Bearer ',
    key,
    `Basic ${key}`,
    `Token ${key}`,
    `Bearer ${key} ${key}`,
    `Bearer,${key}`,
  ]
  const near_misses = [
    'pk_',
    'x',
    key.slice(3),
    key.slice(0, 34),
    `${key}-`,
    `${key}é`,
    `pk_${'x'.repeat(129)}`,
    `"${key}"`,
  ]
  const unknown = [newToken(), key.toUpperCase(), `${key}x`, `pk_${'0'.repeat(43)}`, expired, other.key]
  const seen = new Set<string>()
  for (const authorization of [
    undefined,
    ...malformed,
    ...[...near_misses, ...unknown].map((token) => `Bearer ${token}`),
  ]) {
    for (const [method, address] of [
      ['GET', '/api/v1/contacts'],
      ['GET', `/api/v1/agents/${unknown_id}`],
      ['POST', '/v1/contacts'],
    ] as const) {
      const encoded = authorization && Buffer.from(authorization).toString('latin1')
      const answer = await fetch(method, address, undefined, encoded === undefined ? {} : { authorization: encoded })
      assert.equal(answer.status, 401, `${method} ${authorization}`)
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer')
      seen.add(answer.text.replace(/"request_id":"[^"]*"/, ''))
    }
  }
  assert.equal(seen.size, 1, [...seen].join('\n'))
  assert.match([...seen].join(), /"code":"UNAUTHORIZED"/)
})

test('the authorization scheme is case-insensitive', async () => {
  const { key } = await workspace()
  for (const scheme of ['Bearer', 'bearer', 'BEARER', 'Bearer  ']) {
    assert.equal((await fetch('GET', '/api/v1/contacts', undefined, { authorization: `${scheme} ${key}` })).status, 200)
  }
})

test('401 and 403 are returned before the body is read', async () => {
  const tenant = await workspace()
  const reader = await tenant.newKey({ scopes: ['contacts:read'] })
  for (const [key, status] of [
    [newToken(), 401],
    [reader, 403],
  ] as const) {
    const lengths = ['Content-Length: 100000', 'Content-Length: 9999999999', 'Transfer-Encoding: chunked']
    const heads = [...lengths.map((line) => ['Content-Type: application/json', line]), ['Content-Length: 5']]
    // At once, because each connection stays open until the client has sent nothing for a second.
    const answers = await Promise.all(
      heads.map((lines) => sendBytes(rawRequest({ ...tenant, key }, 'POST /api/v1/contacts', lines))),
    )
    for (const [index, answer] of answers.entries())
      assert.equal(parseResponse(answer).status, status, String(heads[index]))
  }
  assert.deepEqual(await eventsOf(pool, tenant), [])
})

test('a key without the required scope gets 403 with the name of the scope', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant)
  const all = ['contacts:read', 'contacts:write', 'agents:read', 'agents:write']
  for (const [method, path, scope] of [
    ['GET', '/contacts', 'contacts:read'],
    ['GET', `/contacts/${id}`, 'contacts:read'],
    ['POST', '/contacts', 'contacts:write'],
    ['PATCH', `/contacts/${id}`, 'contacts:write'],
    ['DELETE', `/contacts/${id}`, 'contacts:write'],
    ['GET', '/agents', 'agents:read'],
    ['POST', '/agents', 'agents:write'],
  ] as const) {
    for (const scopes of [[], all.filter((other) => other !== scope)]) {
      const answer = await tenant.call(method, path, undefined, withKey(await tenant.newKey({ scopes })))
      assert.deepEqual([answer.status, answer.body.error.code], [403, 'FORBIDDEN'], `${method} ${path}`)
      assert.equal(answer.body.error.details.required_scope, scope)
    }
    const answer = await tenant.call(method, path, undefined, withKey(await tenant.newKey({ scopes: [scope] })))
    assert.notEqual(answer.status, 403, `${method} ${path}`)
  }
})

test('a key sees only its own workspace', async () => {
  const [mine, theirs] = [await workspace(), await workspace()]
  await create(theirs)
  assert.deepEqual((await mine.call('GET', '/contacts')).body.data, [])
})

for (const [how, end] of [
  ['revoked', revoke],
  [
    'expired',
    (id: string) => pool.run(sql`update api_keys set expires_at = ${clock.iso(clock.wall())} where id = ${id}`),
  ],
] as const) {
  test(`a cached key that is ${how} stops working within a second, and others still work`, async () => {
    const tenant = await workspace()
    const [id = ''] = await keyIdsOf(tenant)
    const other = await tenant.newKey()
    assert.equal((await tenant.call('GET', '/contacts')).status, 200)
    await end(id)
    const until = clock.wall() + 1_000
    let status = 200
    while (status !== 401 && clock.wall() < until) {
      await sleep(poll_every_ms)
      status = (await tenant.call('GET', '/contacts')).status
    }
    assert.equal((await tenant.call('GET', '/contacts')).status, 401)
    assert.equal((await tenant.call('GET', '/contacts', undefined, withKey(other))).status, 200)
  })
}

test('a key that is created after it was rejected works within a second', async () => {
  const tenant = await workspace()
  const token = newToken()
  assert.equal((await tenant.call('GET', '/contacts', undefined, withKey(token))).status, 401)
  const key = { name: 'late', scopes: null, expires_at: null }
  await inTransaction(server.at(tenant.id), (at) => api_keys.create(at, { token, key }))
  const until = clock.wall() + 1_000
  let status = 401
  while (status !== 200 && clock.wall() < until) {
    await sleep(poll_every_ms)
    status = (await tenant.call('GET', '/contacts', undefined, withKey(token))).status
  }
  assert.equal((await tenant.call('GET', '/contacts', undefined, withKey(token))).status, 200)
})

/** A pool that counts the statements that contain this text. */
function countingPool(text: string) {
  const own_pool = testPool()
  after(() => own_pool.close())
  let count = 0
  const counted = (statement: Sql) => {
    if (statement.text.includes(text)) count += 1
    return statement
  }
  const counting: Pool = {
    ...own_pool,
    many: (statement) => own_pool.many(counted(statement)),
    maybe: (statement) => own_pool.maybe(counted(statement)),
  }
  return { pool: counting, count: () => count }
}

test('a full cache of keys drops only the oldest', async () => {
  const { pool: counting, count } = countingPool('api_key_directory')
  const { authenticate } = authenticator(counting)
  const now = clock.wall()
  const tokens = Array.from({ length: 10_001 }, () => newToken())
  await authenticate(tokens[0] ?? '', now)
  await Promise.all(tokens.slice(1, 10_000).map(async (token) => authenticate(token, now)))
  await authenticate(tokens[10_000] ?? '', now)
  const before = count()
  for (const token of tokens.slice(1)) assert.equal(authenticate(token, now), undefined)
  assert.equal(count(), before)
  await authenticate(tokens[0] ?? '', now)
  assert.equal(count(), before + 1)
})

test('concurrent requests with unknown tokens or cookies share statements', async () => {
  for (const [table, requestWith] of [
    ['integration_directory', (token: string) => ({ method: 'POST', url: `/in/${token}`, headers: {} })],
    [
      'sessions',
      (token: string) => ({ method: 'GET', url: '/app/sessions', headers: { cookie: `parley_session=${token}` } }),
    ],
  ] as const) {
    const { pool: counting, count } = countingPool(table)
    const { app } = openApi(counting, readConfig({ LOG_LEVEL: 'silent' }), migrations, openLog('silent'))
    after(() => app.close())
    const answers = await Promise.all(Array.from({ length: 500 }, () => app.inject(requestWith(newSecret()))))
    const expected = table === 'sessions' ? 401 : 404
    assert.deepEqual([...new Set(answers.map(({ statusCode }) => statusCode))], [expected])
    assert.ok(count() <= 50, `${count()} statements for 500 unknown tokens of ${table}`)
  }
})

test('concurrent requests of different sessions each get their own response', async () => {
  const tenants = await Promise.all(Array.from({ length: 5 }, () => workspace()))
  const people = await Promise.all(
    tenants.map(({ id }, index) => newPerson(server, { [id]: index % 2 === 0 ? 'owner' : 'member' })),
  )
  const requests = people.flatMap((person, person_index) =>
    tenants.map((tenant, index) => ({ person, tenant, is_own: person_index === index })),
  )
  const answers = await Promise.all(
    requests.map(({ person, tenant }) => person.go('GET', '/api/v1/contacts', undefined, inWorkspace(tenant))),
  )
  assert.deepEqual(
    answers.map(({ status }) => status),
    requests.map(({ is_own }) => (is_own ? 200 : 404)),
  )
  const shown = await Promise.all(people.map(({ go }) => go('GET', '/session')))
  assert.deepEqual(
    shown.map(({ body }) => body.data.person.id),
    people.map(({ id }) => id),
  )
})

test('the last use of a key is recorded and never moves back', async () => {
  const own_pool = testPool()
  const { app, recordKeyUses } = openApi(own_pool, readConfig({ LOG_LEVEL: 'silent' }), migrations, openLog('silent'))
  after(async () => {
    await app.close()
    await own_pool.close()
  })
  const tenant = await workspace()
  const unused = await workspace()
  const usedAt = async ({ id }: Tenant) =>
    (await pool.one<{ last_used_at: string | null }>(sql`select last_used_at from api_keys where workspace_id = ${id}`))
      .last_used_at
  const use = () => app.inject({ url: '/api/v1/contacts', headers: withKey(tenant.key) })
  assert.equal(await usedAt(tenant), null)
  const before = clock.iso(clock.wall())
  assert.equal((await use()).statusCode, 200)
  await recordKeyUses()
  const seen = String(await usedAt(tenant))
  assert.ok(seen >= before && seen <= clock.iso(clock.wall()), seen)
  assert.equal(await usedAt(unused), null)
  const later = clock.iso(clock.wall() + 60_000)
  await pool.run(sql`update api_keys set last_used_at = ${later} where workspace_id = ${tenant.id}`)
  await use()
  await recordKeyUses()
  assert.equal(await usedAt(tenant), later)
})

test('only the hash of a key is stored', async () => {
  const tenant = await workspace()
  const tables = ['api_keys', 'api_key_directory']
  for (const table of tables) {
    const rows = await pool.many<{ row: string }>(
      table === 'api_keys'
        ? sql`select to_jsonb(api_keys)::text as row from api_keys where workspace_id = ${tenant.id}`
        : sql`select to_jsonb(api_key_directory)::text as row from api_key_directory where workspace_id = ${tenant.id}`,
    )
    assert.equal(rows.length, 1)
    assert.equal(rows[0]?.row.includes(tenant.key.slice(3, 20)), false)
  }
  assert.match(tenant.key, /^pk_[0-9A-Za-z]{43}$/)
})

const limited = await serve({ rate_limit_per_second: 5 })

const remainingOf = ({ headers }: Answer) => Number(/^"key";r=(\d+);t=1$/.exec(String(headers.get('ratelimit')))?.[1])

test('each response states the rate limit of the key, which recovers within a second', async () => {
  const tenant = await limited.workspace()
  const other = await tenant.newKey()
  const paths = ['/contacts', `/contacts/${unknown_id}`, '/contacts?limit=0', '/agents']
  let remaining = 5
  let answer: Answer | undefined
  for (let count = 0; answer?.status !== 429; count += 1) {
    assert.ok(count < 500, 'the limit is never reached')
    answer = await tenant.call('GET', String(paths[count % paths.length]))
    assert.equal(answer.headers.get('ratelimit-policy'), '"key";q=5;w=1')
    const left = remainingOf(answer)
    if (answer.status === 429) assert.deepEqual([remaining, left], [0, 0])
    else assert.ok(left === remaining - 1 || left === 4, `${left} remain after ${remaining}`)
    remaining = left
  }
  const { headers, body } = answer
  assert.deepEqual([body.error.code, headers.get('retry-after')], ['RATE_LIMITED', '1'])
  const theirs = await tenant.call('GET', '/contacts', undefined, withKey(other))
  assert.deepEqual([theirs.status, remainingOf(theirs)], [200, 4], 'another key is not affected')
  while (answer.status === 429) {
    await sleep(poll_every_ms)
    answer = await tenant.call('GET', '/contacts')
  }
  assert.equal(answer.status, 200)
})

test('a request over the rate limit changes nothing', async () => {
  const tenant = await limited.workspace()
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      tenant.call('POST', '/contacts', newContact(), { 'idempotency-key': `${index}` }),
    ),
  )
  const created = answers.filter(({ status }) => status === 201)
  const rejected = answers.filter(({ status }) => status === 429)
  assert.equal(created.length + rejected.length, 30)
  assert.ok(rejected.length > 0)
  assert.equal((await eventsOf(pool, tenant)).length, created.length)
})

test('the rate limit is 1,000 by default, and 0 disables it', async () => {
  const default_server = await serve({ rate_limit_per_second: readConfig({}).rate_limit_per_second })
  const { headers } = await (await default_server.workspace()).call('GET', '/contacts')
  assert.deepEqual([headers.get('ratelimit-policy'), headers.get('ratelimit')], ['"key";q=1000;w=1', '"key";r=999;t=1'])
  const { call } = await workspace()
  const answers = await Promise.all(Array.from({ length: 50 }, () => call('GET', '/contacts')))
  for (const answer of answers) assert.deepEqual([answer.status, answer.headers.get('ratelimit')], [200, null])
})
