import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Type } from 'typebox'
import { system } from '../../server/kit/at.ts'
import { isWrite, type ValidRequest, write } from '../../server/kit/http/operation.ts'
import { writer } from '../../server/kit/http/write.ts'
import { newId } from '../../server/kit/id.ts'
import { openPool, type Pool } from '../../server/kit/postgres/pool.ts'
import { raw, sql } from '../../server/kit/postgres/sql.ts'
import type { TxOptions } from '../../server/kit/postgres/transaction.ts'
import { invalidState } from '../../server/kit/problem.ts'
import { waitUntil } from '../faults/client.ts'
import { createDatabase, openServer, serve, testPool } from '../support/harness.ts'
import { listLockWaits } from '../support/lock-waits.ts'
import { newApiKey, newContact } from '../support/samples.ts'

const { pool, at, workspace } = await serve()
const full = await createDatabase('full_disk')
const read_only = await createDatabase('read_only')

const insert = (name: string) => sql`insert into workspaces (id, name, created_at) values (${newId()}, ${name}, now())`
const exists = async (name: string) => (await pool.many(sql`select from workspaces where name = ${name}`)).length > 0
const dividing = sql`select 1 / 0`
const division_by_zero = { code: '22012' }

test('a transaction whose begin fails writes nothing', async () => {
  const name = newId()
  const invalid = { isolation: 'no such level' } as unknown as TxOptions
  await assert.rejects(
    pool.tx((db) => db.run(insert(name)), invalid),
    { code: '42601' },
  )
  assert.equal(await exists(name), false)
})

test('a transaction sets its lock timeout in a text of its own, which a sharded database passes on', async () => {
  const name = 'two texts'
  const own = openPool({
    url: process.env.TEST_DATABASE_URL ?? '',
    size: 1,
    application_name: name,
    onError: console.error,
  })
  const running = sql`select query, state from pg_stat_activity where application_name = ${name}`
  const found = await own.tx(() => pool.many(running), { lock_timeout_ms: 1_234 })
  await own.close()
  assert.deepEqual(found, [{ query: 'set local lock_timeout = 1234', state: 'idle in transaction' }])
})

test('a transaction that PostgreSQL rolls back at commit fails', async () => {
  const name = newId()
  const work = pool.tx(async (db) => {
    await db.run(insert(name))
    await db.run(dividing).catch(() => {})
  })
  await assert.rejects(work, division_by_zero)
  assert.equal(await exists(name), false)
})

test('what is to run after the commit runs once, and not after a rollback', async () => {
  const ran: string[] = []
  pool.afterCommit(() => ran.push('now'))
  assert.deepEqual(ran.splice(0), ['now'], 'outside of a transaction')
  let attempts = 0
  const work = pool.tx(async (db) => {
    attempts += 1
    db.afterCommit(() => ran.push(`attempt ${attempts}`))
    const name = newId()
    await db.run(insert(name))
    assert.deepEqual(ran, [], 'not before the commit')
    if (attempts === 1) throw Object.assign(new Error('serialization_failure'), { code: '40001' })
  })
  await work
  assert.deepEqual(ran.splice(0), ['attempt 2'])
  const failing = pool.tx(async (db) => {
    db.afterCommit(() => ran.push('failed'))
    await db.run(dividing).catch(() => {})
  })
  await assert.rejects(failing, division_by_zero)
  assert.deepEqual(ran, [])
})

const rename = (from: string, to: string) => sql`update workspaces set name = ${to} where name = ${from}`

test('a transaction that can not be serialized is repeated', async () => {
  const name = newId()
  await pool.run(insert(name))
  let attempts = 0
  const work = pool.tx(
    async (db) => {
      attempts += 1
      await db.many(sql`select name from workspaces`)
      if (attempts === 1) await pool.run(sql`update workspaces set name = ${name} where name = ${name}`)
      return db.run(rename(name, `${name} renamed`))
    },
    { isolation: 'repeatable read' },
  )
  assert.deepEqual([await work, attempts, await exists(`${name} renamed`)], [1, 2, true])
})

test('a transaction that PostgreSQL cancels because of a deadlock is repeated', async () => {
  const { id: workspace_id, call } = await workspace()
  const add = async (): Promise<string> => (await call('POST', '/contacts', newContact())).body.data.id
  const [own, other] = [await add(), await add()]
  const lock = (id: string) => sql`select from contacts where workspace_id = ${workspace_id} and id = ${id} for update`
  const locked = Promise.withResolvers<void>()
  const closing = Promise.withResolvers<void>()
  let attempts = 0
  // On a machine that pauses for a second, the usual time for a lock would end before PostgreSQL looks for a deadlock.
  const options = { lock_timeout_ms: 60_000 }
  const work = pool.tx(async (db) => {
    attempts += 1
    // Once: a repetition that is faster than the rival would meet it again.
    if (attempts === 1) await db.run(lock(own))
    locked.resolve()
    await closing.promise
    await db.run(lock(other))
  }, options)
  await locked.promise
  const rival = pool.tx(async (db) => {
    // PostgreSQL cancels the transaction that looks for a deadlock first.
    await db.script(`set local deadlock_timeout = '60s'`)
    await db.run(lock(other))
    const { pid } = await db.one<{ pid: number }>(sql`select pg_backend_pid() as pid`)
    const waiting = db.run(lock(own))
    // Only when this one waits: the other looks for a deadlock once, a second after it began to wait.
    await waitUntil('the rival waits', async () => isWaiting(pid))
    closing.resolve()
    await waiting
  }, options)
  await Promise.all([work, rival])
  assert.equal(attempts, 2)
})

async function isWaiting(pid: number): Promise<boolean> {
  return (await listLockWaits(pool)).some(({ waiting }) => waiting === pid)
}

test('of two notifications about one row in a transaction, one that leaves work is kept', async () => {
  const workspace = newId()
  const seen: unknown[] = []
  const unsubscribe = pool.subscribe(({ id, is_due = true, ...other }) => {
    if (other.workspace === workspace) seen.push([id, is_due])
  })
  const notify = async (...due: boolean[]) =>
    pool.tx(async (db) => {
      for (const is_due of due) db.notify({ topic: 'rows', workspace, id: String(due), is_due })
    })
  await notify(true, false)
  await notify(false, true)
  await notify(false, false)
  unsubscribe()
  assert.deepEqual(seen, [
    ['true,false', true],
    ['false,true', true],
    ['false,false', false],
  ])
})

test('a transaction with pipelined statements fails with the error of the first failed one', async () => {
  const work = pool.tx(async (db) => {
    const slow = async () => {
      try {
        await db.run(dividing)
      } finally {
        await setImmediate()
      }
    }
    await Promise.all([slow(), db.run(sql`select 1`)])
  })
  await assert.rejects(work, division_by_zero)
})

test('a verb that goes on after its sibling has failed writes nothing', async () => {
  const name = newId()
  const rolled_back = Promise.withResolvers<void>()
  let late: Promise<unknown> = Promise.resolve()
  const work = pool.tx(async (db) => {
    late = rolled_back.promise.then(() => db.run(insert(name)))
    await Promise.all([late, db.run(dividing)])
  })
  await assert.rejects(work, division_by_zero)
  rolled_back.resolve()
  await assert.rejects(late, /the transaction has ended/)
  assert.equal(await exists(name), false)
})

test('what a verb goes on to write after its sibling was refused is not committed with the stored answer', async () => {
  const name = newId()
  const undone = Promise.withResolvers<void>()
  let late: Promise<unknown> = Promise.resolve()
  const refused = write({
    id: 'tests.refuse',
    method: 'POST',
    path: '/refuse',
    scope: 'tests:write',
    summary: '',
    response: Type.Object({}),
    run: async ({ db }) => {
      late = undone.promise.then(() => db.run(insert(name)))
      await Promise.all([late, Promise.reject(invalidState('It is refused.'))])
      return {}
    },
  })
  const tx: Pool['tx'] = (work, options) =>
    pool.tx(
      (db) =>
        work({
          ...db,
          run: async (statement) => {
            const changed = await db.run(statement)
            if (!/^rollback to/.test(statement.text)) return changed
            undone.resolve()
            await late.catch(() => {})
            return changed
          },
        }),
      options,
    )
  assert.ok(isWrite(refused))
  const tenant = await workspace()
  const { tools, hooks } = at(tenant.id)
  const { status } = await writer({ pool: { ...pool, tx }, tools, hooks })({
    operation: refused,
    request: newRequest(tenant.id),
    keyed: { key: 'k', fingerprint: 'f' },
    answer: () => assert.fail('it is refused'),
  })
  assert.equal(status, 409)
  await assert.rejects(late, /the transaction has ended/)
  assert.equal(await exists(name), false)
})

function newRequest(workspace: string): ValidRequest {
  const scopes = { has: () => true, is_open: true }
  const caller = { id: 'a', workspace, scopes, authenticated_by: 'key', is_test: false, actor: system } as const
  const sent = { params: {}, query: {}, body: {}, file: undefined, prepared: undefined, isCurrent: () => true }
  return { caller, client: { ip: '127.0.0.1' }, request_id: newId(), ...sent }
}

test('a write that meets a full disk in any table gets 503', async (t) => {
  const { url, pool: admin } = full
  await admin.script(
    `create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`,
  )
  const server = await openServer(testPool(url))
  t.after(server.close)
  const { call } = await server.workspace()
  const { id } = (await call('POST', '/contacts', newContact({ tags: ['a'] }))).body.data
  const writes = [
    ['POST', '/contacts', () => newContact({ tags: ['a'] })],
    ['PATCH', `/contacts/${id}`, () => ({ first_name: newId(), tags: [newId()] })],
    ['PUT', `/contacts/${id}/crm_ids/hubspot`, () => ({ id: newId() })],
    ['POST', '/agents', () => ({ name: 'Reception' })],
    ['POST', '/webhooks', () => ({ url: 'inbox', events: ['*'] })],
    ['POST', '/contacts/imports', () => ({ rows: [newContact()] })],
    ['POST', '/api_keys', newApiKey],
  ] as const
  const tables = await admin.many<{ name: string }>(
    sql`select tablename as name from pg_tables where schemaname = 'public' and tablename not in ('schema_migrations')`,
  )
  let refused = 0
  for (const { name } of tables) {
    await admin.script(`create trigger refuse before insert or update on ${name} execute function refuse()`)
    for (const [method, path, body] of writes) {
      const { status, headers } = await call(
        method,
        path,
        body(),
        method === 'POST' ? { 'idempotency-key': newId() } : {},
      )
      assert.ok([200, 201, 503].includes(status), `${method} ${path} with ${name} full: ${status}`)
      if (status !== 503) continue
      assert.equal(headers.get('retry-after'), '1')
      refused += 1
    }
    await admin.run(sql`${raw(`drop trigger refuse on ${name}`)}`)
  }
  assert.ok(refused >= writes.length * 3, `only ${refused} writes got 503`)
})

test('a database that does not accept writes is not ready', async (t) => {
  const { url, pool: admin } = read_only
  const server = await openServer(testPool(url))
  t.after(server.close)
  assert.equal((await server.fetch('GET', '/ready')).status, 200)
  await admin.script(`alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = on`)
  const other = await openServer(testPool(url))
  t.after(other.close)
  assert.equal((await other.fetch('GET', '/ready')).status, 503)
})
