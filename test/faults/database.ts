import assert from 'node:assert/strict'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '../../server/kit/id.ts'
import { openEmbedded } from '../../server/kit/postgres/embedded/embedded.ts'
import { openPool, type Pool } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { product } from '../../server/product.ts'
import { answers, type Client, openClient, type Reply, until } from './client.ts'
import { spread } from './figures.ts'
import { type Gate, openGate } from './gate.ts'
import { assertUnavailable, type Ledger, openLedger, type Tally } from './ledger.ts'
import { split } from './random.ts'
import type { How, Scenario } from './scenario.ts'
import { checkout, folderFor, newTenant, overUrl, type Service, startService, type Tenant } from './service.ts'

const clients = 6
const away_ms = { long: 10_000, short: 1_500 }
const back_within_ms = 5_000
/** In the long form longer than the server waits for an answer to a statement. */
const silent_ms = { long: 40_000, short: 3_000 }
const terminations = { long: 200, short: 20 }
const terminate_every_ms = 40
const crowd = 30
const exhausted_ms = { long: 10_000, short: 4_000 }
const refused_within_ms = 10_000
const conflicts = { long: 10, short: 1 }

export const scenario: Scenario = {
  name: 'database',
  about: 'while the database is away, silent, cut off, exhausted or at odds, callers are told so and nothing is lost',
  run,
}

/** A service over a database that others can take away. */
interface World {
  how: How
  service: Service
  gate: Gate
  /** The database itself. */
  url: () => string
  stopDatabase: () => Promise<void>
  startDatabase: () => Promise<void>
}

async function run(how: How): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const world = await openWorld(stack, how)
  const { service, url } = world
  for (const part of [away, silent, terminated, exhausted, deadlocked, notSerialized]) {
    await part(world, await overUrl(url(), newTenant))
    assert.equal(service.running.child.exitCode, null, 'the server lives')
  }
  await service.stop()
}

async function openWorld(stack: AsyncDisposableStack, how: How): Promise<World> {
  const data_dir = path.join(folderFor(stack, 'database'), 'data')
  const start = () => openEmbedded({ checkout, name: product.short_name, data_dir, as: 'serve', say() {} })
  let embedded = await start()
  stack.defer(() => embedded.close())
  const gate = await openGate(stack, embedded.url)
  const service = await startService(stack, { DATABASE_URL: gate.url, SECRETS_KEY: 'x'.repeat(32) })
  return {
    how,
    service,
    gate,
    url: () => embedded.url,
    stopDatabase: () => embedded.close(),
    async startDatabase() {
      embedded = await start()
      gate.pass(embedded.url)
    },
  }
}

/** Writers that log each answer, while `meanwhile` happens to them; then all is compared. */
export async function underLoad(
  { how, service }: Pick<World, 'how' | 'service'>,
  { key }: Tenant,
  meanwhile: (client: Client, tally: Tally) => Promise<void>,
): Promise<Ledger> {
  await using stack = new AsyncDisposableStack()
  const connect = () => {
    const client = openClient(service.url, key)
    stack.defer(() => client.close())
    return client
  }
  const ledger = openLedger()
  let is_over = false
  const working = Promise.all(
    Array.from({ length: clients }, () => ledger.work(connect(), split(how.random), () => is_over)),
  )
  working.catch(() => {})
  try {
    await until('some are acknowledged', () => ledger.tally.acknowledged >= clients)
    await meanwhile(connect(), ledger.tally)
    const { acknowledged } = ledger.tally
    await until('some are acknowledged again', () => ledger.tally.acknowledged > acknowledged + clients)
  } finally {
    is_over = true
  }
  await working
  await ledger.settle(connect())
  await ledger.compare(connect())
  return ledger
}

export const told = ({ tally: { acknowledged, unavailable, unanswered } }: Ledger): string =>
  `${acknowledged} writes acknowledged, ${unavailable} answered 503, ${unanswered} without an answer; lost 0`

async function away(world: World, tenant: Tenant): Promise<void> {
  const { how, service, gate } = world
  const length_ms = how.is_long ? away_ms.long : away_ms.short
  let back_ms = 0
  const ledger = await underLoad(world, tenant, async (client) => {
    gate.refuse()
    await world.stopDatabase()
    await assertAway(service, client)
    await sleep(length_ms)
    await assertAway(service, client)
    await world.startDatabase()
    const returned_at = performance.now()
    await until('it is ready again', () => answers(service.url, '/ready'))
    await until('it answers again', async () => (await client.call('GET', '/contacts')).status === 200)
    back_ms = performance.now() - returned_at
  })
  if (how.is_long) assert.ok(back_ms <= back_within_ms, `it came back after ${back_ms} ms`)
  how.say(`away for ${length_ms} ms, back ${back_ms.toFixed()} ms after its return; ${told(ledger)}`)
}

async function assertAway({ url }: Service, { call }: Client): Promise<void> {
  assertUnavailable(await call('GET', '/contacts'))
  assertUnavailable(await call('GET', `/contacts/${newId()}`))
  assertUnavailable(await call('POST', '/agents', { name: 'Reception' }))
  assert.equal(await answers(url, '/ready'), false)
  assert.equal(await answers(url, '/health'), true)
}

/** The network is cut: connections stay and nothing comes. */
async function silent(world: World, tenant: Tenant): Promise<void> {
  const { how, service, gate, url } = world
  const length_ms = how.is_long ? silent_ms.long : silent_ms.short
  const ledger = await underLoad(world, tenant, async () => {
    gate.fallSilent()
    assert.equal(await answers(service.url, '/ready'), false)
    assert.equal(await answers(service.url, '/health'), true)
    await sleep(length_ms)
    assert.equal(await answers(service.url, '/health'), true)
    gate.pass(url())
    await until('it is ready again', () => answers(service.url, '/ready'))
  })
  how.say(`silent for more than ${length_ms} ms: ${told(ledger)}`)
}

async function terminated(world: World, tenant: Tenant): Promise<void> {
  const { how, url } = world
  const count = how.is_long ? terminations.long : terminations.short
  let ended = 0
  const ledger = await underLoad(world, tenant, () =>
    overUrl(url(), async (pool) => {
      while (ended < count) {
        // One of them, whichever: the order of the view is none.
        ended += await pool.run(
          sql`select pg_terminate_backend(pid) from pg_stat_activity
            where application_name = 'parley' and pid <> pg_backend_pid() order by random() limit 1`,
        )
        await sleep(terminate_every_ms)
      }
    }),
  )
  how.say(`${ended} connections terminated one by one: ${told(ledger)}`)
}

/** All connections wait for a lock, and nobody else gets one. */
async function exhausted(world: World, tenant: Tenant): Promise<void> {
  const { how, service, url } = world
  const length_ms = how.is_long ? exhausted_ms.long : exhausted_ms.short
  const durations: number[] = []
  const health: number[] = []
  const ledger = await underLoad(world, tenant, ({ call }) =>
    overUrl(url(), async (pool) => {
      const { id } = (await call('GET', '/contacts?limit=1')).body.data[0]
      await pool.tx(async (db) => {
        await db.script('lock table contacts in access exclusive mode')
        let is_over = false
        const readers = Array.from({ length: crowd }, async (_, index) => {
          const reader = openClient(service.url, tenant.key)
          while (!is_over) {
            const reply = await reader.call('GET', index % 2 ? '/contacts' : `/contacts/${id}`)
            assertUnavailable(reply)
            durations.push(reply.duration_ms)
            await sleep(50)
          }
          reader.close()
        })
        const begun_at = performance.now()
        while (performance.now() - begun_at < length_ms) {
          const asked_at = performance.now()
          assert.equal(await answers(service.url, '/health'), true)
          health.push(performance.now() - asked_at)
          await sleep(100)
        }
        is_over = true
        await Promise.all(readers)
      })
    }),
  )
  const { max } = spread(durations)
  if (how.is_long) assert.ok(max <= refused_within_ms, `one was answered after ${max} ms`)
  how.say(
    `exhausted for ${length_ms} ms: reads answered 503 after ${spread(durations).text}, /health 200 after ${spread(health).text}; ${told(ledger)}`,
  )
}

/**
 * Another transaction has the number that a create wants, then wants the key that the create has. PostgreSQL ends the
 * create, which waited first; the server tries again.
 */
async function deadlocked({ how, service, url }: World, { workspace, key }: Tenant): Promise<void> {
  const count = how.is_long ? conflicts.long : conflicts.short
  const client = openClient(service.url, key)
  const rival = openPool({ url: url(), size: 1, on_error() {} })
  const observer = openPool({ url: url(), size: 1, on_error() {} })
  for (let round = 0; round < count; round += 1) {
    const phone_number = `+1416${String(round).padStart(7, '0')}`
    const before = await deadlocksOf(observer)
    const undone = new Error('undone')
    let creating: Promise<Reply> | undefined
    await rival
      .tx(
        async (db) => {
          await db.script(`set local deadlock_timeout = '30s'`)
          await db.run(
            sql`insert into contacts (workspace_id, id, phone_number, source, tags, created_at, updated_at)
            values (${workspace}, ${newId()}, ${phone_number}, 'api', '{}', now(), now())`,
          )
          creating = client.call('POST', '/contacts', { phone_number }, { 'idempotency-key': phone_number })
          await until('the create waits', async () => (await waiting(observer)) > 0)
          await db.run(
            sql`insert into idempotency_keys (workspace_id, key, fingerprint, expires_at)
            values (${workspace}, ${phone_number}, '', now())`,
          )
          throw undone
        },
        { lock_timeout_ms: 60_000 },
      )
      .catch((error: unknown) => assert.equal(error, undone))
    assert.equal((await creating)?.status, 201)
    assert.equal((await client.call('GET', '/contacts')).body.pagination.total, round + 1)
    await until('PostgreSQL has counted the deadlock', async () => (await deadlocksOf(observer)) > before)
  }
  for (const one of [rival, observer]) await one.close()
  client.close()
  how.say(`${count} deadlocks: each create was tried again, and is there once`)
}

async function deadlocksOf(pool: Pool): Promise<number> {
  const { deadlocks } = await pool.one<{ deadlocks: number }>(
    sql`select deadlocks from pg_stat_database where datname = current_database()`,
  )
  return deadlocks
}

async function waiting(pool: Pool): Promise<number> {
  const { count } = await pool.one<{ count: number }>(
    sql`select count(*) from pg_stat_activity where wait_event_type = 'Lock' and application_name = 'parley'`,
  )
  return count
}

/** The service's transactions are read committed and know no such error: what tries again is asked itself. */
async function notSerialized({ how, url }: World, { workspace }: Tenant): Promise<void> {
  const pool = openPool({ url: url(), size: 2, on_error() {} })
  const rename = (name: string) => sql`update workspaces set name = ${name} where id = ${workspace}`
  let attempts = 0
  await pool.tx(async (db) => {
    attempts += 1
    await db.script('set transaction isolation level repeatable read')
    await db.one(sql`select name from workspaces where id = ${workspace}`)
    if (attempts === 1) await pool.run(rename(`rival ${newId()}`))
    await db.run(rename(`after ${attempts} attempts ${workspace}`))
  })
  const { name } = await pool.one<{ name: string }>(sql`select name from workspaces where id = ${workspace}`)
  assert.equal(name, `after 2 attempts ${workspace}`)
  await pool.close()
  how.say('a serialization error: tried again, effect once')
}
