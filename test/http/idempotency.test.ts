import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../server/api.ts'
import * as clock from '../../server/kit/clock.ts'
import { removeExpired } from '../../server/kit/http/idempotency.ts'
import { isWrite } from '../../server/kit/http/operation.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { create, eventsOf } from '../support/contacts.ts'
import { type Answer, openServer, serve, type Tenant, testPool } from '../support/harness.ts'
import { rawCreate } from '../support/raw-http.ts'
import { bodies, makers, newAgent, newContact } from '../support/samples.ts'

const { workspace, fetch, pool, sendBytes, at } = await serve()

const post = ({ call }: Tenant, key: string, body: unknown, path = '/contacts') =>
  call('POST', path, body, { 'idempotency-key': key, 'content-type': 'application/json' })

const isReplayed = ({ headers }: Answer) => headers.get('idempotent-replayed') === 'true'

const total = async ({ call }: Tenant): Promise<number> => (await call('GET', '/contacts')).body.pagination.total

/** Sends a create with these header lines unchanged. */
const sendCreate = (tenant: Tenant, lines: string[], body: string) =>
  sendBytes(rawCreate(tenant, [...lines, `Content-Length: ${body.length}`], body))

test('a repeated request gets the first response again, byte for byte, and creates nothing', async () => {
  const tenant = await workspace()
  const input = newContact({ first_name: 'Zoë', tags: ['a'] })
  const first = await post(tenant, 'k', input)
  assert.deepEqual([first.status, isReplayed(first)], [201, false])
  await tenant.call('PATCH', `/contacts/${first.body.data.id}`, { first_name: 'changed' })
  for (let count = 0; count < 3; count += 1) {
    const again = await post(tenant, 'k', input)
    assert.deepEqual([again.status, again.text, isReplayed(again)], [201, first.text, true])
    for (const name of ['location', 'etag', 'content-type']) {
      assert.equal(again.headers.get(name), first.headers.get(name), name)
    }
    assert.notEqual(again.headers.get('x-request-id'), first.headers.get('x-request-id'))
  }
  assert.equal(await total(tenant), 1)
  assert.equal((await eventsOf(pool, tenant)).filter(({ type }) => type === 'contact.created').length, 1)
})

test('a request without a key, or with another key, runs', async () => {
  const tenant = await workspace()
  const input = newContact()
  assert.equal((await post(tenant, 'k', input)).status, 201)
  assert.equal((await tenant.call('POST', '/contacts', input)).status, 409)
  assert.equal((await post(tenant, 'K', input)).status, 409, 'keys are case-sensitive')
})

test('after the contact is deleted, the replayed response has nothing but its id', async () => {
  const tenant = await workspace()
  const input = newContact({ notes: 'private' })
  const first = await post(tenant, 'k', input)
  const { id } = first.body.data
  await tenant.call('DELETE', `/contacts/${id}`)
  const again = await post(tenant, 'k', input)
  assert.deepEqual([again.status, again.body, isReplayed(again)], [201, { success: true, data: { id } }, true])
  assert.equal(await total(tenant), 0)
})

test('the order of members and white space make no difference', async () => {
  const tenant = await workspace()
  const { phone_number } = newContact()
  const first = await post(
    tenant,
    'k',
    `{"phone_number":"${phone_number}","tags":["a","b"],"id":{"x":1,"y":{"b":1,"a":2}}}`,
  )
  assert.equal(first.status, 201)
  for (const input of [
    `\n{ "tags" : [ "a" , "b" ],\t"id": {"y":{"a":2,"b":1},"x":1.0}, "phone_number": "${phone_number}" }\r\n`,
    `\ufeff{"tags":["\\u0061","b"],"phone_number":"${phone_number}","id":{"x":1,"y":{"a":2,"b":1}}}`,
  ]) {
    const again = await post(tenant, 'k', input)
    assert.deepEqual([again.status, again.text, isReplayed(again)], [201, first.text, true], input)
  }
})

test('the same key with another body or path is 422, and the first response is kept', async () => {
  const tenant = await workspace()
  const { phone_number } = newContact()
  const input = { phone_number, notes: 'x', tags: ['a', 'b'], crm_ids: { a: '1' } }
  const first = await post(tenant, 'k', input)
  for (const other of [
    newContact(),
    { ...input, notes: 'y' },
    { ...input, notes: ' x' },
    { ...input, company: null },
    { ...input, tags: ['b', 'a'] },
    { ...input, crm_ids: { a: '2' } },
    { phone_number },
  ]) {
    const answer = await post(tenant, 'k', other)
    assert.deepEqual([answer.status, answer.body.error?.code], [422, 'IDEMPOTENCY_KEY_REUSED'], JSON.stringify(other))
    assert.equal(isReplayed(answer), false)
    assert.equal(answer.body.error.details.request_id, answer.headers.get('x-request-id'))
  }
  assert.equal((await post(tenant, 'k', newAgent(), '/agents')).status, 422)
  assert.equal((await tenant.call('GET', '/agents')).body.pagination.total, 0)
  assert.equal((await post(tenant, 'k', input)).text, first.text)
  assert.equal(await total(tenant), 1)
})

test('the alias /v1 is the same path', async () => {
  const tenant = await workspace()
  const input = newContact()
  const first = await post(tenant, 'k', input)
  const headers = { authorization: `Bearer ${tenant.key}`, 'idempotency-key': 'k' }
  const again = await fetch('POST', '/v1/contacts', input, headers)
  assert.deepEqual([again.status, again.text, isReplayed(again)], [201, first.text, true])
})

test('a quoted key is the same as a bare key', async () => {
  const tenant = await workspace()
  for (const [bare, quoted] of [
    ['8e03978e-40d5-43dd-bc93-6894a57f9324', '"8e03978e-40d5-43dd-bc93-6894a57f9324"'],
    ['user 7, 2026-01-01T00:00:00Z', '"user 7, 2026-01-01T00:00:00Z"'],
    ['a"b\\c', '"a\\"b\\\\c"'],
    ['x'.repeat(255), `"${'x'.repeat(255)}"`],
  ] as const) {
    const input = newContact()
    const first = await post(tenant, bare, input)
    const again = await post(tenant, quoted, input)
    assert.deepEqual([first.status, again.status, isReplayed(again)], [201, 201, true], bare)
  }
})

test('a key of 1 to 255 printable ASCII characters is accepted, anything else is rejected', async () => {
  const tenant = await workspace()
  const printable = String.fromCharCode(...Array.from({ length: 94 }, (_, index) => 33 + index))
  for (const key of ['x', 'x'.repeat(255), printable, '"', "'; drop table contacts; --"]) {
    const first = await post(tenant, key, newContact())
    assert.deepEqual([first.status, isReplayed(first)], [201, false], key)
  }
  const before = await total(tenant)
  for (const key of ['', '""', 'x'.repeat(256), `"${'x'.repeat(256)}"`, 'a\tb', 'é']) {
    const body = JSON.stringify(newContact())
    const answer = await sendCreate(tenant, [`Idempotency-Key: ${key}`], body)
    assert.match(answer, /^HTTP\/1\.1 400 /, key)
    assert.match(answer, /"code":"VALIDATION_ERROR"/)
    assert.match(answer, /"path":"Idempotency-Key"/)
  }
  for (const key of ['a\0b', 'a\x01b', 'a\x7fb']) {
    assert.match(
      await sendCreate(tenant, [`Idempotency-Key: ${key}`], JSON.stringify(newContact())),
      /^HTTP\/1\.1 400 /,
    )
  }
  assert.equal(await total(tenant), before)
})

test('a key sent twice is rejected, even with the same value', async () => {
  const tenant = await workspace()
  for (const second of ['a', 'b', '']) {
    const lines = ['Idempotency-Key: a', `idempotency-key: ${second}`]
    assert.match(await sendCreate(tenant, lines, JSON.stringify(newContact())), /^HTTP\/1\.1 400 .*"Idempotency-Key"/s)
  }
  assert.equal(await total(tenant), 0)
  assert.equal((await post(tenant, 'a', newContact())).status, 201)
})

test('a 409 is stored: a replay has the first request id in its body and a new one in its header', async () => {
  const tenant = await workspace()
  const { id, phone_number } = await create(tenant)
  const first = await post(tenant, 'k', { phone_number })
  assert.deepEqual([first.status, first.body.error.details.existing_id], [409, id])
  await tenant.call('DELETE', `/contacts/${id}`)
  const again = await post(tenant, 'k', { phone_number })
  assert.deepEqual([again.status, again.text, isReplayed(again)], [409, first.text, true])
  assert.equal(again.body.error.details.request_id, first.headers.get('x-request-id'))
  assert.notEqual(again.headers.get('x-request-id'), first.headers.get('x-request-id'))
  assert.equal((await post(tenant, 'other', { phone_number })).status, 201, 'the number is free')
})

test('400, 401, 403, 413 and 415 are not stored: the key stays free', async () => {
  const tenant = await workspace()
  const reader = await tenant.newKey({ scopes: ['contacts:read'] })
  const input = newContact()
  for (const [status, body, headers] of [
    [400, '{', {}],
    [400, {}, {}],
    [400, { phone_number: 'x' }, {}],
    [401, input, { authorization: 'Bearer x' }],
    [403, input, { authorization: `Bearer ${reader}` }],
    [413, `${' '.repeat(1024 * 1024)}{}`, {}],
    [415, '{}', { 'content-type': 'text/plain' }],
  ] as const) {
    const all = { 'idempotency-key': 'k', 'content-type': 'application/json', ...headers }
    assert.equal((await tenant.call('POST', '/contacts', body, all)).status, status)
  }
  const first = await post(tenant, 'k', input)
  assert.deepEqual([first.status, isReplayed(first)], [201, false])
})

test('idempotency keys belong to a workspace: its other API keys get the replay, another workspace does not', async () => {
  const tenant = await workspace()
  const input = newContact()
  const first = await post(tenant, 'k', input)
  const headers = { authorization: `Bearer ${await tenant.newKey()}`, 'idempotency-key': 'k' }
  const again = await tenant.call('POST', '/contacts', input, headers)
  assert.deepEqual([again.text, isReplayed(again)], [first.text, true])
  const stranger = await workspace()
  const theirs = await post(stranger, 'k', newContact())
  assert.deepEqual([theirs.status, isReplayed(theirs)], [201, false])
})

test('only POST requests use the key', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant)
  for (const notes of ['a', 'b']) {
    const { body } = await tenant.call('PATCH', `/contacts/${id}`, { notes }, { 'idempotency-key': 'k' })
    assert.equal(body.data.notes, notes)
  }
})

test('a key is stored for 24 hours, then the request runs again', async () => {
  const tenant = await workspace()
  const before = clock.wall()
  await post(tenant, 'k', newContact())
  const { expires_at } = await pool.one<{ expires_at: string }>(
    sql`select expires_at from idempotency_keys where workspace_id = ${tenant.id} and key = 'k'`,
  )
  const day_ms = 24 * 60 * 60 * 1000
  const expires = clock.parse(expires_at)
  assert.ok(expires >= before + day_ms && expires <= clock.wall() + day_ms)
  const expire = (time: number) =>
    pool.run(sql`update idempotency_keys set expires_at = ${clock.iso(time)} where workspace_id = ${tenant.id}`)
  await expire(clock.wall() + 60_000)
  const input = newContact()
  assert.equal((await post(tenant, 'k', input)).status, 422)
  await expire(clock.wall())
  const rerun = await post(tenant, 'k', input)
  assert.deepEqual([rerun.status, isReplayed(rerun)], [201, false])
  const again = await post(tenant, 'k', input)
  assert.deepEqual([again.text, isReplayed(again)], [rerun.text, true])
  assert.equal(await total(tenant), 2)
})

test('expired keys are removed in batches of 1,000, and no others', async () => {
  const tenant = await workspace()
  const stranger = await workspace()
  const now = clock.wall()
  const fill = (workspace_id: string, name: string, rows: number, expires_at: number) =>
    pool.run(
      sql`insert into idempotency_keys (workspace_id, key, fingerprint, expires_at)
        select ${workspace_id}, ${name}::text || number, '', ${clock.iso(expires_at)}
        from generate_series(1, ${rows}::int) as number`,
    )
  await fill(tenant.id, 'old ', 2_000, now - 60_000)
  await fill(tenant.id, 'just ', 300, now)
  await fill(tenant.id, 'valid ', 3, now + 1)
  await fill(stranger.id, 'old ', 2, now - 60_000)
  const batches: number[] = []
  const counting: typeof pool = {
    ...pool,
    async run(statement) {
      const removed = await pool.run(statement)
      batches.push(removed)
      return removed
    },
  }
  assert.equal(await removeExpired({ ...at(tenant.id, now), db: counting }), 2_300)
  assert.deepEqual(batches, [1_000, 1_000, 300])
  const left = await pool.many<{ key: string }>(
    sql`select key from idempotency_keys where workspace_id in (${tenant.id}, ${stranger.id}) order by key`,
  )
  assert.deepEqual(
    left.map(({ key }) => key),
    ['old 1', 'old 2', 'valid 1', 'valid 2', 'valid 3'],
  )
})

test('a response with a secret is replayed only to the caller that received it', async () => {
  const secret = operations.filter(isWrite).filter(({ is_secret }) => is_secret)
  assert.ok(secret.length >= 4)
  for (const { id, path, scope } of secret) {
    const tenant = await workspace()
    // A body may name something that the maker has made.
    const address = path.replace(':id', String(await makers[id.split('.')[0] ?? '']?.(tenant)))
    const body = bodies[id]?.()
    const again = (key: string) =>
      fetch('POST', `/api/v1${address}`, body, { authorization: `Bearer ${key}`, 'idempotency-key': 'k' })
    const first = await again(tenant.key)
    assert.ok(first.status < 300, `${id}: ${first.text}`)
    const replayed = await again(tenant.key)
    assert.deepEqual([replayed.text, isReplayed(replayed)], [first.text, true], id)
    const refused = await again(await tenant.newKey({ scopes: [scope] }))
    assert.deepEqual([refused.status, refused.body.error.code], [422, 'IDEMPOTENCY_KEY_REUSED'], id)
  }
})

test('a replay is not validated again: the URL of a webhook may resolve to another address by then', async (t) => {
  let address = '93.184.215.14'
  const server = await openServer(testPool(), {}, async () => [address])
  t.after(server.close)
  const tenant = await server.workspace()
  const input = { url: 'https://hooks.shop.example/parley', events: ['*'] }
  const first = await post(tenant, 'k', input, '/webhooks')
  assert.equal(first.status, 201)
  address = '127.0.0.1'
  const again = await post(tenant, 'k', input, '/webhooks')
  assert.deepEqual([again.status, again.text, isReplayed(again)], [201, first.text, true])
  assert.equal((await post(tenant, 'another', input, '/webhooks')).status, 400)
})
