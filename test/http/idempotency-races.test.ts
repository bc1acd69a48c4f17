import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { setCrmId } from '../../server/contacts/set-crm-id.ts'
import * as contacts from '../../server/contacts/store.ts'
import * as clock from '../../server/kit/clock.ts'
import { newId } from '../../server/kit/id.ts'
import type { Db } from '../../server/kit/postgres/pool.ts'
import { type Sql, sql } from '../../server/kit/postgres/sql.ts'
import { create, eventsOf } from '../support/contacts.ts'
import { type Answer, openServer, serve, type Tenant, testPool } from '../support/harness.ts'
import { waitingFor } from '../support/lock-waits.ts'
import { newContact } from '../support/samples.ts'

/** Two servers on one database stand for two processes. */
const { workspace, fetch, pool, at } = await serve()
const { fetch: fetchOther, close } = await openServer(testPool())
after(close)

const post = ({ key }: Tenant, name: string, body: object, to = fetch): Promise<Answer> =>
  to('POST', '/api/v1/contacts', body, { authorization: `Bearer ${key}`, 'idempotency-key': name })

const isReplayed = ({ headers }: Answer) => headers.get('idempotent-replayed') === 'true'

const total = async ({ call }: Tenant): Promise<number> => (await call('GET', '/contacts')).body.pagination.total

const keysOf = ({ id }: Tenant) =>
  pool.many<{ key: string; status: number }>(sql`select key, status from idempotency_keys where workspace_id = ${id}`)

/** Opens a transaction of another process. It stays open until `rollback`. */
async function open(t: TestContext, work: (db: Db) => Promise<unknown>) {
  const started = Promise.withResolvers<number>()
  const ending = Promise.withResolvers<void>()
  const done = pool
    .tx(async (db) => {
      await work(db)
      started.resolve((await db.one<{ pid: number }>(sql`select pg_backend_pid() as pid`)).pid)
      await ending.promise
    })
    .catch(() => {})
  const rollback = () => {
    ending.reject(new Error('rolled back'))
    return done
  }
  t.after(rollback)
  return { pid: await started.promise, rollback }
}

/** Reserves the key as the same request in another process would, without a response yet. */
const reserveKey =
  ({ id }: Tenant, key: string) =>
  (db: Db) =>
    db.run(
      sql`insert into idempotency_keys (workspace_id, key, fingerprint, expires_at)
      values (${id}, ${key}, 'unfinished', ${clock.iso(clock.wall() + 60_000)})`,
    )

const insertContact =
  ({ id }: Tenant, phone_number: string) =>
  (db: Db) =>
    db.run(
      sql`insert into contacts (workspace_id, id, phone_number, tags, source, created_at, updated_at)
      values (${id}, ${newId()}, ${phone_number}, '{}', 'api', ${clock.iso(0)}, ${clock.iso(0)})`,
    )

test('of 20 different concurrent requests with one key, one runs and the others are 422', async () => {
  const tenant = await workspace()
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => post(tenant, 'k', newContact(), index % 2 === 0 ? fetch : fetchOther)),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(19).fill(422)])
  assert.equal(await total(tenant), 1)
})

test('of 20 creates of one number with different keys one succeeds, and each replays its own response', async () => {
  const tenant = await workspace()
  const input = newContact()
  const names = Array.from({ length: 20 }, (_, index) => `key ${index}`)
  const answers = await Promise.all(
    names.map((name, index) => post(tenant, name, input, index % 2 === 0 ? fetch : fetchOther)),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(19).fill(409)])
  const winner = answers.find(({ status }) => status === 201)
  for (const { status, body } of answers) {
    if (status === 409) assert.equal(body.error.details.existing_id, winner?.body.data.id)
  }
  const replays = await Promise.all(names.map((name) => post(tenant, name, input)))
  replays.forEach((replay, index) => {
    assert.deepEqual([replay.status, replay.text], [answers[index]?.status, answers[index]?.text])
    assert.ok(isReplayed(replay))
  })
  assert.equal(await total(tenant), 1)
})

test('concurrent creates with many keys all succeed, also when each is sent to two servers', async () => {
  const tenant = await workspace()
  const bodies = Array.from({ length: 60 }, () => newContact())
  const both = await Promise.all(
    bodies.flatMap((input, index) => [
      post(tenant, `${index}`, input, fetch),
      post(tenant, `${index}`, input, fetchOther),
    ]),
  )
  assert.deepEqual(new Set(both.map(({ status }) => status)), new Set([201]))
  assert.equal(both.filter(isReplayed).length, 60)
  assert.equal(await total(tenant), 60)
})

test('a request whose key another process has reserved waits, and runs when that one is rolled back', async (t) => {
  const tenant = await workspace()
  const { pid, rollback } = await open(t, reserveKey(tenant, 'k'))
  const answer = post(tenant, 'k', newContact())
  await waitingFor(pool, pid)
  await rollback()
  const { status } = await answer
  assert.deepEqual([status, isReplayed(await answer)], [201, false])
  assert.equal(await total(tenant), 1)
})

test('a request whose key another process has reserved waits, and returns the same response', async (t) => {
  const tenant = await workspace()
  const input = newContact()
  const { pid, rollback } = await open(t, insertContact(tenant, input.phone_number))
  const first = post(tenant, 'k', input, fetch)
  const [runner = 0] = await waitingFor(pool, pid)
  const second = post(tenant, 'k', input, fetchOther)
  await waitingFor(pool, runner)
  await rollback()
  assert.deepEqual([(await first).status, isReplayed(await first)], [201, false])
  assert.deepEqual([(await second).text, isReplayed(await second)], [(await first).text, true])
})

test('when the first request takes longer than two seconds the second gets 409 with Retry-After', async (t) => {
  const tenant = await workspace()
  const { rollback } = await open(t, reserveKey(tenant, 'held'))
  const input = newContact()
  const [held, duplicate, free, bare] = await Promise.all([
    post(tenant, 'held', input),
    post(tenant, 'held', input),
    post(tenant, 'free', newContact()),
    tenant.call('POST', '/contacts', newContact()),
  ])
  for (const { status, headers, body } of [held, duplicate]) {
    assert.deepEqual([status, body.error?.code], [409, 'IDEMPOTENCY_IN_PROGRESS'])
    assert.equal(headers.get('retry-after'), '1')
    assert.equal(body.error.details.request_id, headers.get('x-request-id'))
  }
  assert.deepEqual([free.status, bare.status], [201, 201], 'other requests are served')
  await rollback()
  const later = await post(tenant, 'held', input)
  assert.deepEqual([later.status, isReplayed(later)], [201, false], 'the 409 is not stored')
})

test('a create that fails midway leaves neither key nor contact, and can be retried', async (t) => {
  const tenant = await workspace()
  const input = newContact()
  const { pid, rollback } = await open(t, insertContact(tenant, input.phone_number))
  const answer = post(tenant, 'k', input)
  const [runner = 0] = await waitingFor(pool, pid)
  await pool.many(sql`select pg_terminate_backend(${runner}::int)`)
  const { status, headers, body } = await answer
  assert.deepEqual([status, body.error.code, headers.get('retry-after')], [503, 'SERVICE_UNAVAILABLE', '1'])
  await rollback()
  assert.deepEqual(await keysOf(tenant), [])
  assert.deepEqual(await eventsOf(pool, tenant), [])
  assert.equal(await total(tenant), 0)
  const again = await post(tenant, 'k', input)
  assert.deepEqual([again.status, isReplayed(again)], [201, false])
  assert.deepEqual(await keysOf(tenant), [{ key: 'k', status: 201 }])
})

test('a duplicate that waits for a request that fails runs instead', async (t) => {
  const tenant = await workspace()
  const input = newContact()
  const { pid, rollback } = await open(t, insertContact(tenant, input.phone_number))
  const first = post(tenant, 'k', input, fetch)
  const [runner = 0] = await waitingFor(pool, pid)
  const second = post(tenant, 'k', input, fetchOther)
  await waitingFor(pool, runner)
  await pool.many(sql`select pg_terminate_backend(${runner}::int)`)
  assert.equal((await first).status, 503)
  await rollback()
  assert.deepEqual([(await second).status, isReplayed(await second)], [201, false])
  assert.equal(await total(tenant), 1)
})

test('a write that waits for a locked contact or number does not fail concurrent writes', async (t) => {
  const tenant = await workspace()
  const ids: string[] = []
  for (let count = 0; count < 10; count += 1) {
    ids.push((await tenant.call('POST', '/contacts', newContact())).body.data.id)
  }
  const taken = newContact()
  await open(t, async (db) => {
    await db.run(sql`select from contacts where workspace_id = ${tenant.id} and id = ${ids[0]} for update`)
    await insertContact(tenant, taken.phone_number)(db)
  })
  const [patches, creates] = await Promise.all([
    Promise.all([...ids, ...ids].map((id) => tenant.call('PATCH', `/contacts/${id}`, { notes: 'x' }))),
    Promise.all([taken, ...ids.map(() => newContact()), taken].map((input) => tenant.call('POST', '/contacts', input))),
  ])
  const served = [503, ...Array(9).fill(200)]
  assert.deepEqual(
    patches.map(({ status }) => status),
    [...served, ...served],
  )
  assert.deepEqual(
    creates.map(({ status }) => status),
    [503, ...Array(10).fill(201), 503],
  )
})

test('a value that is taken at each attempt, just after it was free, gets 409', async () => {
  const tenant = await workspace()
  const [holder, other] = [await create(tenant), await create(tenant)]
  await tenant.call('PUT', `/contacts/${holder.id}/crm_ids/zoho`, { id: '1' })
  const id: string = other.id
  const isCurrent = () => true
  const change = { phone_number: holder.phone_number }
  const crm_ids = { zoho: '1' }
  let attempts = 0
  /** Hides the row that has the value. */
  const withoutHolder = (db: Db): Db => {
    attempts += 1
    return {
      ...db,
      many: async <Row>(statement: Sql) =>
        /^select (id, phone_number from|holder)/.test(statement.text) ? [] : db.many<Row>(statement),
    }
  }
  const writes = [
    (db: Db) => contacts.update({ ...at(tenant.id), db: withoutHolder(db) }, [{ id, change, isCurrent }]),
    (db: Db) =>
      contacts.create({ ...at(tenant.id), db: withoutHolder(db) }, [
        { ...newContact({ crm_ids }), source: 'api' as const },
      ]),
    (db: Db) => setCrmId({ ...at(tenant.id), db: withoutHolder(db) }, { id, system: 'zoho', crm_id: '1', isCurrent }),
  ]
  for (const write of writes) {
    attempts = 0
    await assert.rejects(pool.tx<unknown>(write), { code: 'CONFLICT', status: 409 })
    assert.ok(attempts > 1, 'it is retried')
  }
  assert.deepEqual((await tenant.call('GET', `/contacts/${id}`)).body.data.phone_number, other.phone_number)
})

test('key, response, contact and event are written in one transaction', async () => {
  const tenant = await workspace()
  await post(tenant, 'k', newContact({ tags: ['vip'] }))
  const writers = await pool.many<{ writer: string }>(
    sql`select xmin::text as writer from idempotency_keys where workspace_id = ${tenant.id}
      union select xmin::text from contacts where workspace_id = ${tenant.id}
      union select xmin::text from contact_texts where workspace_id = ${tenant.id}
      union select xmin::text from contact_tags where workspace_id = ${tenant.id}
      union select xmin::text from events where workspace_id = ${tenant.id} and type = 'contact.created'
      union select xmin::text from contact_counts where workspace_id = ${tenant.id}`,
  )
  assert.equal(writers.length, 1)
})
