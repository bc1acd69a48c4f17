import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { test_times } from '../../server/clocks/time.ts'
import { due_kinds } from '../../server/due-kinds.ts'
import * as clock from '../../server/kit/clock.ts'
import { openLog } from '../../server/kit/log.ts'
import { type Db, openPool, type Pool } from '../../server/kit/postgres/pool.ts'
import { type Sql, sql } from '../../server/kit/postgres/sql.ts'
import { noteAllDue, openDueNotes, openDuePoll } from '../../server/kit/work/due.ts'
import { all_workspaces } from '../../server/workspaces/store.ts'
import { waitUntil } from '../faults/client.ts'
import { createDatabase, openServer, testPool } from '../support/harness.ts'
import { rowsRead } from '../support/readers.ts'
import { receiver } from '../support/receivers.ts'
import { newContact, newImport, newWebhook } from '../support/samples.ts'
import { startWorker } from '../support/workers.ts'

/** Closed before the database is dropped. */
const open = new AsyncDisposableStack()
after(() => open.disposeAsync())
/** A dedicated database: these look at all workspaces. */
const { pool, url } = await createDatabase('due')
const server = await openServer(testPool(url), { outbound_allow_hosts: ['127.0.0.1'] })
open.defer(server.close)
const log = openLog('silent')

/** More than one poll reads. */
const busy_count = 1_500

/** Adds workspaces that are due all the time. */
async function addBusy(kind: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUID())
  await pool.run(
    sql`insert into workspaces (id, name, created_at)
      select id, id::text, ${clock.iso(clock.wall())} from unnest(${ids}::uuid[]) as one (id)`,
  )
  await pool.run(
    sql`insert into due_workspaces (workspace_id, kind, due_at)
      select id, ${kind}, '-infinity' from unnest(${ids}::uuid[]) as one (id)`,
  )
  return ids
}

test('a workspace is found when its work is due, while more than a poll reads stay due before it', async () => {
  const tenant = await server.workspace()
  const target = await receiver()
  await tenant.call('POST', '/webhooks', newWebhook({ url: target.url }))
  await tenant.call('POST', '/contacts', newContact())
  await pool.run(
    sql`insert into due_workspaces (workspace_id, kind, due_at)
      values (${tenant.id}, 'deliveries', ${clock.iso(clock.wall())})`,
  )
  const busy = await addBusy('deliveries', busy_count)
  const hour_ms = 3_600_000
  await pool.run(
    sql`insert into webhook_senders (workspace_id, lease_token, lease_until)
      select id, ${randomUUID()}, ${clock.iso(clock.wall() + hour_ms)} from unnest(${busy}::uuid[]) as one (id)`,
  )
  // In another pool: the commits above are those of another process.
  await using worker_pool = Object.assign(testPool(url), { [Symbol.asyncDispose]: () => worker_pool.close() })
  const worker = startWorker({ ...server, pool: worker_pool })
  try {
    await waitUntil('the delivery is sent', () => target.received.length > 0)
  } finally {
    await worker.stop()
    await pool.run(sql`delete from due_workspaces where workspace_id = any(${busy}::uuid[])`)
  }
})

test('polls go through the due workspaces of each kind in turn, as far as there is room', async () => {
  const kinds = ['many', 'few']
  const [many, few] = [await addBusy('many', busy_count), await addBusy('few', 2)]
  const added = { many: [] as string[], few: [] as string[] }
  let room = 0
  const engineOf = (kind: string) => ({
    retry() {},
    isPausing: () => false,
    get has_room() {
      return kind === 'few' || room > 0
    },
    add(workspace: string) {
      if (kind === 'few') added.few.push(workspace)
      else {
        room -= 1
        added.many.push(workspace)
      }
    },
  })
  const poll = openDuePoll({ pool, kinds, test_times, engineOf, log })
  open.defer(poll.stop)
  for (const taken of [700, 1_400, busy_count, 2 * busy_count]) {
    room = taken - added.many.length
    await waitUntil('there is no room left', () => room === 0)
  }
  await poll.stop()
  const [first, second] = [added.many.slice(0, busy_count), added.many.slice(busy_count)]
  assert.deepEqual(first.toSorted(), many.toSorted())
  assert.deepEqual(second, first, 'in the second round too')
  assert.deepEqual(new Set(added.few), new Set(few))
})

test('what becomes due is added soon, however many workspaces wait to be added', async () => {
  const kind = 'urgent'
  await addBusy(kind, busy_count)
  const { id } = await server.workspace()
  const past = clock.iso(clock.wall() - clock.second_ms)
  await pool.run(sql`insert into due_workspaces (workspace_id, kind, due_at) values (${id}, ${kind}, ${past})`)
  const added: string[] = []
  let room = 0
  const engineOf = () => ({
    retry() {},
    isPausing: () => false,
    get has_room() {
      return room > 0
    },
    add(workspace: string) {
      room -= 1
      added.push(workspace)
    },
  })
  const poll = openDuePoll({ pool, kinds: [kind], test_times, engineOf, log })
  open.defer(poll.stop)
  for (let polls = 0; polls < 2; polls += 1) {
    room = 10
    await waitUntil('there is no room left', () => room === 0)
  }
  await poll.stop()
  assert.ok(added.includes(id), `not among the first ${added.length}`)
  assert.ok(new Set(added).size > 10, 'and the others have their turn')
})

test('a round includes test workspaces, by their clocks', async () => {
  const [past, future] = [clock.wall() - clock.day_ms, clock.wall() + clock.day_ms]
  const [late, early] = [await server.workspace(past), await server.workspace(future)]
  const kind = 'tested'
  await pool.run(
    sql`insert into due_workspaces (workspace_id, kind, due_at)
      select id, ${kind}, due_at from unnest(${[late.id, early.id]}::uuid[], ${[past + 1, future].map(clock.iso)}::timestamptz[])
        as one (id, due_at)`,
  )
  const added: string[] = []
  const engineOf = () => ({
    has_room: true,
    isPausing: () => false,
    retry() {},
    add: (workspace: string) => added.push(workspace),
  })
  const poll = openDuePoll({ pool, kinds: [kind], test_times, engineOf, log })
  open.defer(poll.stop)
  await waitUntil('it was polled twice', () => added.length >= 2)
  await poll.stop()
  assert.deepEqual(new Set(added), new Set([early.id]))
})

/** Far fewer than ten million, and more than any number of workspaces here. */
const open_count = 5_000

test('looking for due work reads one row of a workspace, however many conversations are open', async () => {
  const tenant = await server.workspace()
  const tomorrow = clock.iso(clock.wall() + clock.day_ms)
  await pool.run(
    sql`insert into conversations
        (workspace_id, id, kind, status, agent_id, agent_name, version_label, created_at, updated_at, due_at)
      select ${tenant.id}, gen_random_uuid(), 'api', 'open', gen_random_uuid(), 'Reception', '1', ${tomorrow}, ${tomorrow}, ${tomorrow}
      from generate_series(1, ${open_count}::int)`,
  )
  await using own = Object.assign(openPool({ url, size: 1, onError: console.error }), {
    [Symbol.asyncDispose]: () => own.close(),
  })
  await own.script('vacuum analyze conversations')
  await own.run(sql`update pg_class set reltuples = 1e7 where relname in ('conversations', 'conversations_due')`)
  const before = await rowsRead(own, 'conversations')
  await noteAllDue(own, { kinds: due_kinds, workspaces: all_workspaces })
  assert.equal((await rowsRead(own, 'conversations')) - before, 1)
  const noted = await pool.many(sql`select kind, due_at from due_workspaces where workspace_id = ${tenant.id}`)
  assert.deepEqual(noted, [{ kind: 'conversations', due_at: tomorrow }])
})

/** The pool, on which the first statement that matches each of these fails. */
function failOnce(own: Pool, patterns: RegExp[]): Pool {
  const rest = new Set(patterns)
  const send =
    <Out>(pass: (statement: Sql) => Promise<Out>) =>
    (statement: Sql): Promise<Out> => {
      const matching = [...rest].find((pattern) => pattern.test(statement.text))
      if (!matching) return pass(statement)
      rest.delete(matching)
      return Promise.reject(new Error('timeout exceeded when trying to connect'))
    }
  // Each returns what the method of the pool would return.
  return { ...own, many: send(own.many) as Db['many'], run: send(own.run) }
}

const noting = /^insert into due_workspaces \(workspace_id, kind, due_at\)\s+values/

test('work is done soon when it could neither be claimed nor noted at first', async () => {
  await using own = await openServer(testPool(url)).then((opened) =>
    Object.assign(opened, { [Symbol.asyncDispose]: opened.close }),
  )
  // The sweep would find the work: another process runs it.
  await pool.run(
    sql`insert into process_leases (name, lease_token, lease_until)
      values ('periodic_tasks', ${randomUUID()}, ${clock.iso(clock.wall() + clock.day_ms)})
      on conflict (name) do update set lease_token = excluded.lease_token, lease_until = excluded.lease_until`,
  )
  const failing = failOnce(own.pool, [/^update imports\s+set lease_token/, noting])
  const notes = openDueNotes(failing, ['imports'], log)
  const worker = startWorker({ ...own, pool: failing })
  const tenant = await own.workspace()
  const { body } = await tenant.call('POST', '/contacts/imports', newImport())
  const isFinished = async () =>
    (await tenant.call('GET', `/contacts/imports/${body.data.id}`)).body.data.status === 'finished'
  try {
    await waitUntil('the import is finished', isFinished)
  } finally {
    await worker.stop()
    await notes.stop()
    await pool.run(sql`delete from process_leases where name = 'periodic_tasks'`)
  }
})

test('a note that could not be written is written later', async () => {
  const notes = openDueNotes(failOnce(server.pool, [noting]), ['noted'], log)
  const { id } = await server.workspace()
  server.pool.notify({ topic: 'noted', workspace: id })
  const isNoted = async () =>
    (await pool.maybe(sql`select from due_workspaces where workspace_id = ${id} and kind = 'noted'`)) !== undefined
  try {
    await waitUntil('it is noted', isNoted)
  } finally {
    await notes.stop()
  }
})
