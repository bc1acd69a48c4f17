import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as clock from '../../server/kit/clock.ts'
import { newId } from '../../server/kit/id.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { create, eventsOf, get, unknown_id } from '../support/contacts.ts'
import { type Answer, openServer, serve, type Tenant, testPool } from '../support/harness.ts'
import { holdTransaction } from '../support/held-transaction.ts'
import { newContact, phoneNumber } from '../support/samples.ts'

const server = await serve()
const { workspace, pool } = server

const send = ({ call }: Tenant, operations: object[], more: object = {}, headers = {}): Promise<Answer> =>
  call('POST', '/contacts/batch', { operations, ...more }, headers)

const creating = (fields: object = {}) => ({ op: 'create', data: newContact(fields) })
const statusesOf = ({ body }: Answer): number[] => body.data.results.map(({ status }: { status: number }) => status)
const totalOf = async ({ call }: Tenant) => (await call('GET', '/contacts')).body.pagination.total

test('each operation has the outcome of the single request, in order', async () => {
  const tenant = await workspace()
  const { id, phone_number } = await create(tenant, { first_name: 'Ada' })
  const other = phoneNumber()
  const answer = await send(tenant, [
    creating({ phone_number: other, custom_fields: { plan: 'gold' } }),
    { op: 'update', id, data: { last_name: 'Lovelace' } },
    { op: 'upsert', phone_number: other, data: { first_name: 'Grace' } },
    { op: 'upsert', phone_number: phoneNumber(), data: {} },
    creating({ phone_number }),
    { op: 'update', id: unknown_id, data: {} },
    { op: 'update', id: 'x', data: {} },
    { op: 'create', data: { first_name: 5 } },
    { op: 'upsert', phone_number: '0', data: {} },
    { op: 'upsert', phone_number, data: { phone_number: other } },
  ])
  assert.equal(answer.status, 200, answer.text)
  assert.equal(answer.headers.get('idempotent-replayed'), null)
  assert.deepEqual(statusesOf(answer), [201, 200, 200, 201, 409, 404, 404, 400, 400, 400])
  const { results } = answer.body.data
  assert.deepEqual(
    results.map(({ index }: { index: number }) => index),
    [...results.keys()],
  )
  const [created, updated, upserted, , conflict, missing, , invalid] = results
  assert.deepEqual(created.data.custom_fields, { plan: 'gold' })
  assert.deepEqual([updated.data.id, updated.data.last_name], [id, 'Lovelace'])
  assert.deepEqual([upserted.data.id, upserted.data.first_name], [created.data.id, 'Grace'])
  assert.deepEqual([conflict.error.code, conflict.error.details.existing_id], ['CONFLICT', id])
  assert.equal(missing.error.code, 'NOT_FOUND')
  assert.deepEqual(
    invalid.error.details.fields.map(({ path }: { path: string }) => path),
    ['phone_number', 'first_name'],
  )
  assert.equal(await totalOf(tenant), 3)
})

test('an atomic batch takes effect as a whole, or not at all', async () => {
  const tenant = await workspace()
  const { id, phone_number } = await create(tenant)
  const before = await get(tenant, id)
  const first = creating()
  for (const [failing, status, code] of [
    [creating({ phone_number }), 409, 'CONFLICT'],
    [{ op: 'update', id: unknown_id, data: {} }, 404, 'NOT_FOUND'],
    [{ op: 'create', data: {} }, 400, 'VALIDATION_ERROR'],
  ] as const)
    for (const headers of [{}, { 'idempotency-key': code }]) {
      const operations = [first, { op: 'update', id, data: { first_name: 'Eve' } }, failing, creating()]
      for (let attempt = 1; attempt <= 2; attempt += 1) {
        const refused = await send(tenant, operations, { atomic: true }, headers)
        assert.deepEqual([refused.status, refused.body.error.code, refused.body.error.details.index], [status, code, 2])
      }
    }
  assert.deepEqual([await totalOf(tenant), await get(tenant, id)], [1, before])
  assert.equal((await eventsOf(pool, tenant)).length, 1)
  const number = first.data.phone_number
  const operations = [first, { op: 'upsert', phone_number: number, data: { first_name: 'Ada' } }]
  const headers = { 'idempotency-key': 'all' }
  const done = await send(tenant, operations, { atomic: true }, headers)
  assert.deepEqual(statusesOf(done), [201, 200])
  const again = await send(tenant, operations, { atomic: true }, headers)
  assert.deepEqual([again.text, again.headers.get('idempotent-replayed')], [done.text, 'true'])
  assert.equal((await send(tenant, operations, {}, headers)).status, 422)
  assert.equal(await totalOf(tenant), 2)
})

test('atomic batches wait for contacts in the same order, also if their operations have another one', async () => {
  const tenant = await workspace()
  const contacts = [await create(tenant), await create(tenant)]
  const [first, second] = contacts.toSorted((left, right) => (left.id < right.id ? -1 : 1))
  assert.ok(first && second)
  const lock = (id: string) => sql`select from contacts where workspace_id = ${tenant.id} and id = ${id} for update`
  await using held = await holdTransaction(pool, (db) => db.run(lock(first.id)))
  const operations = [
    { op: 'update', id: second.id, data: { last_name: 'B' } },
    { op: 'upsert', phone_number: first.phone_number, data: { last_name: 'A' } },
  ]
  const sent = send(tenant, operations, { atomic: true })
  await held.waitUntilBlocking(sent)
  await pool.tx((db) => db.run(lock(second.id)), { lock_timeout_ms: 100 })
  await held.end()
  assert.deepEqual(
    (await sent).body.data.results.map(({ index, data }: { index: number; data: Named }) => [index, data.last_name]),
    [
      [0, 'B'],
      [1, 'A'],
    ],
  )
})

interface Named {
  last_name: string
}

test('an atomic batch takes new phone numbers in one order, and answers in the order of its operations', async () => {
  const tenant = await workspace()
  const numbers = [phoneNumber(), phoneNumber()].sort()
  const [first = '', second = ''] = numbers
  const taking = (number: string) =>
    sql`insert into contacts (workspace_id, id, phone_number, tags, source, created_at, updated_at)
      values (${tenant.id}, ${newId()}, ${number}, '{}', 'api', ${clock.iso(clock.wall())}, ${clock.iso(clock.wall())})`
  const free = new Error('the number is free again')
  await using held = await holdTransaction(pool, (db) => db.run(taking(first)))
  const operations = [
    creating({ phone_number: second }),
    { op: 'upsert', phone_number: first, data: {} },
    { op: 'upsert', phone_number: second, data: { last_name: 'B' } },
  ]
  const sent = send(tenant, operations, { atomic: true })
  await held.waitUntilBlocking(sent)
  const taken = pool.tx(
    async (db) => {
      await db.run(taking(second))
      throw free
    },
    { lock_timeout_ms: 100 },
  )
  await assert.rejects(taken, free)
  await held.end(free)
  const answer = await sent
  assert.deepEqual(statusesOf(answer), [201, 201, 200], answer.text)
  assert.deepEqual(
    answer.body.data.results.map(({ data }: { data: { phone_number: string } }) => data.phone_number),
    [second, first, second],
  )
})

for (const atomic of [false, true])
  test(`a repeat shows nothing of contacts that were deleted since, atomic: ${atomic}`, async () => {
    const tenant = await workspace()
    const kept = await create(tenant)
    const known = await create(tenant, { notes: 'private' })
    const headers = { 'idempotency-key': 'redacted' }
    const operations = [
      creating({ notes: 'private' }),
      { op: 'upsert', phone_number: known.phone_number, data: { first_name: 'Ada' } },
      { op: 'update', id: kept.id, data: { first_name: 'Grace' } },
    ]
    const first = await send(tenant, operations, { atomic }, headers)
    const again = await send(tenant, operations, { atomic }, headers)
    assert.deepEqual(
      [again.body, again.headers.get('idempotent-replayed')],
      [first.body, 'true'],
      'before they are deleted',
    )
    const [{ data: created }, , { data: updated }] = first.body.data.results
    for (const { id } of [created, known]) assert.equal((await tenant.call('DELETE', `/contacts/${id}`)).status, 200)
    const redacted = await send(tenant, operations, { atomic }, headers)
    assert.deepEqual(statusesOf(redacted), [201, 200, 200])
    assert.deepEqual(
      redacted.body.data.results.map(({ data }: { data: object }) => data),
      [{ id: created.id }, { id: known.id }, updated],
    )
  })

test('a repeat with the same key has the same results and changes nothing', async () => {
  const tenant = await workspace()
  const headers = { 'idempotency-key': 'once' }
  const operations = [creating(), { op: 'upsert', phone_number: phoneNumber(), data: {} }, { op: 'create', data: {} }]
  const [first, second] = await Promise.all([
    send(tenant, operations, {}, headers),
    send(tenant, operations, {}, headers),
  ])
  const again = await send(tenant, operations, {}, headers)
  const dataOf = ({ body }: Answer) => body.data.results.map(({ data }: { data: object }) => data)
  assert.deepEqual([dataOf(second), dataOf(again)], [dataOf(first), dataOf(first)])
  assert.deepEqual(statusesOf(again), [201, 201, 400])
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  assert.equal((await eventsOf(pool, tenant)).length, 2)
  assert.equal((await send(tenant, [creating()], {}, headers)).status, 422)
  assert.equal((await tenant.call('POST', '/contacts', newContact(), headers)).status, 422)
})

test('a repeat goes on where the first request ended', async () => {
  const tenant = await workspace()
  const { id } = await create(tenant)
  const headers = { 'idempotency-key': 'interrupted' }
  const operations = [creating(), { op: 'update', id, data: { first_name: 'Ada' } }, creating()]
  const held = await holdTransaction(pool, (db) =>
    db.run(sql`select from contacts where workspace_id = ${tenant.id} and id = ${id} for update`),
  )
  const interrupted = await send(tenant, operations, {}, headers)
  assert.equal(interrupted.status, 503)
  await held.end()
  assert.equal(await totalOf(tenant), 2)
  const repeated = await send(tenant, operations, {}, headers)
  assert.deepEqual(statusesOf(repeated), [201, 200, 201])
  assert.equal(repeated.headers.get('idempotent-replayed'), null)
  assert.equal(await totalOf(tenant), 3)
  const types = (await eventsOf(pool, tenant)).map(({ type }) => type).sort()
  assert.deepEqual(types, [...Array(3).fill('contact.created'), 'contact.updated'])
})

test('a key is not used up by a batch without a valid operation', async () => {
  const tenant = await workspace()
  const headers = { 'idempotency-key': 'mended' }
  const invalid = [
    { op: 'create', data: {} },
    { op: 'update', id: 'x', data: {} },
  ]
  assert.deepEqual(statusesOf(await send(tenant, invalid, {}, headers)), [400, 404])
  assert.deepEqual(statusesOf(await send(tenant, [creating(), ...invalid], {}, headers)), [201, 400, 404])
  assert.equal((await send(tenant, [creating()], {}, headers)).status, 422)
  assert.equal(await totalOf(tenant), 1)
})

test('a key that has expired can be used for another batch, also if answers of its operations are still stored', async () => {
  const tenant = await workspace()
  const headers = { 'idempotency-key': 'expired' }
  await send(tenant, [creating(), creating()], {}, headers)
  await pool.run(
    sql`update idempotency_keys set expires_at = ${clock.iso(clock.wall())}
      where workspace_id = ${tenant.id} and key = 'expired'`,
  )
  const operations = [creating(), creating()]
  const next = await send(tenant, operations, {}, headers)
  assert.deepEqual([next.status, next.headers.get('idempotent-replayed')], [200, null], next.text)
  assert.deepEqual(statusesOf(next), [201, 201])
  assert.equal((await send(tenant, operations, {}, headers)).headers.get('idempotent-replayed'), 'true')
  assert.equal(await totalOf(tenant), 4)
})

test('a batch has 1 to 100 operations', async () => {
  const tenant = await workspace()
  const many = (count: number) => Array.from({ length: count }, () => creating())
  assert.deepEqual(statusesOf(await send(tenant, many(100))), Array(100).fill(201))
  for (const operations of [[], many(101), null, {}, 'create']) {
    const refused = await tenant.call('POST', '/contacts/batch', { operations })
    assert.deepEqual([refused.status, refused.body.error?.details.fields?.[0].path], [400, 'operations'])
  }
  assert.equal(await totalOf(tenant), 100)
})

const misshapen = [
  [{ op: 'update', data: {} }, 'id'],
  [{ op: 'upsert', data: {} }, 'phone_number'],
  [{ op: 'upsert', phone_number: null, data: {} }, 'phone_number'],
  [{ op: 'update', id: 5, data: {} }, 'id'],
  [{ op: 'delete', id: unknown_id, data: {} }, 'op'],
  [{ data: {} }, 'op'],
  [{ op: 'create' }, 'data'],
  [{ op: 'create', data: [] }, 'data'],
  [{ op: 'create', data: newContact(), phone: '1' }, 'phone'],
  [null, ''],
  ['create', ''],
  [[], ''],
] as const

test('an operation of the wrong shape has its own outcome, and the others take effect', async () => {
  const tenant = await workspace()
  const wrong = misshapen.map(([one]) => one)
  const headers = { 'idempotency-key': 'misshapen' }
  const operations = [creating(), ...wrong, creating()]
  for (const is_repeat of [false, true]) {
    const answer = await tenant.call('POST', '/contacts/batch', { operations }, headers)
    assert.deepEqual(statusesOf(answer), [201, ...Array(wrong.length).fill(400), 201], answer.text)
    const errors = answer.body.data.results.slice(1, -1).map(({ error }: { error: Fault }) => error)
    assert.deepEqual(
      errors.map(({ code, details }: Fault) => [code, details.fields[0]?.path]),
      misshapen.map(([, path]) => ['VALIDATION_ERROR', path]),
    )
    assert.equal(answer.headers.get('idempotent-replayed'), is_repeat ? 'true' : null)
  }
  assert.equal(await totalOf(tenant), 2)
})

interface Fault {
  code: string
  details: { fields: { path: string }[] }
}

test('an atomic batch with an operation of the wrong shape is refused', async () => {
  const tenant = await workspace()
  for (const [wrong, path] of misshapen) {
    const operations = [creating(), wrong]
    const refused = await tenant.call('POST', '/contacts/batch', { operations, atomic: true })
    const { code, details } = refused.body.error
    assert.deepEqual(
      [refused.status, code, details.index, details.fields[0].path],
      [400, 'VALIDATION_ERROR', 1, path],
      refused.text,
    )
  }
  assert.equal(await totalOf(tenant), 0)
})

test('each operation counts as a request for the rate limit', async () => {
  const limited = await openServer(testPool(), { rate_limit_per_second: 20 })
  after(limited.close)
  const tenant = await limited.workspace()
  const operations = Array.from({ length: 30 }, () => creating())
  const first = await send(tenant, operations)
  assert.equal(first.status, 200)
  assert.match(String(first.headers.get('ratelimit')), /r=0/)
  const statuses = await Promise.all(
    Array.from({ length: 15 }, () => send(tenant, operations).then((one) => one.status)),
  )
  assert.ok(statuses.includes(429), statuses.join())
})
