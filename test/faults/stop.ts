import assert from 'node:assert/strict'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../../server/kit/postgres/sql.ts'
import { type Client, NoAnswer, openClient } from './client.ts'
import { between } from './random.ts'
import type { How, Scenario } from './scenario.ts'
import { folderFor, newTenant, overDatabase, type Service, startService, type Tenant } from './service.ts'

const clients = 16
const moment_max_ms = 500
/** Long enough that the stop has begun, and shorter than it waits for what is in flight. */
const held_ms = 1_000

export const scenario: Scenario = {
  name: 'stop',
  about: 'SIGTERM under load loses no accepted request',
  run,
}

/** What became of the creates, by their numbers. */
interface Outcomes {
  answered: Set<string>
  /** Sent, and closed without an answer. */
  unanswered: Set<string>
  /** Answers that said it was the last on this connection. */
  farewells: number
}

async function run({ is_long, rounds, random, say }: How): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const DATA_DIR = path.join(folderFor(stack, 'stop'), 'data')
  const count = is_long ? Math.ceil(rounds / 5) : 2
  let service = await startService(stack, { DATA_DIR })
  for (let round = 0; round < count; round += 1) {
    const tenant = await overDatabase(DATA_DIR, newTenant)
    const outcomes: Outcomes = { answered: new Set(), unanswered: new Set(), farewells: 0 }
    const creating = Array.from({ length: clients }, (_, place) => createUntilRefused(service, tenant, place, outcomes))
    const all_created = Promise.all(creating)
    all_created.catch(() => {})
    const holding = await hold(DATA_DIR, service, tenant)
    await sleep(between(random, 0, moment_max_ms))
    const told_at = performance.now()
    await Promise.all([service.stop(), holding.finish(), all_created])
    const stopped_ms = performance.now() - told_at
    service = await startService(stack, { DATA_DIR })
    await compare(service, tenant, outcomes)
    assert.ok(outcomes.farewells > 0, 'callers were told that their connections end')
    say(
      `round ${round + 1}: stopped within ${stopped_ms.toFixed()} ms; ${outcomes.answered.size} creates answered, ` +
        `${outcomes.unanswered.size} not taken any more, none of them done`,
    )
  }
  await service.stop()
}

async function createUntilRefused({ url }: Service, { key }: Tenant, place: number, outcomes: Outcomes): Promise<void> {
  const client = openClient(url, key)
  for (let count = 0; ; count += 1) {
    const phone_number = `+1415${place + 100}${String(count).padStart(5, '0')}`
    try {
      const { status, headers } = await client.call('POST', '/contacts', { phone_number })
      assert.equal(status, 201)
      outcomes.answered.add(phone_number)
      if (headers.connection === 'close') outcomes.farewells += 1
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      assert.equal(error.is_cut_off, false, 'an answer that began has come to its end')
      if (error.is_refused) break
      outcomes.unanswered.add(phone_number)
    }
  }
  client.close()
}

/** A change that waits in the database when the stop comes: it is done and answered, though it takes long. */
async function hold(
  data_dir: string,
  { url }: Service,
  { key, workspace }: Tenant,
): Promise<{ finish: () => Promise<void> }> {
  const client = openClient(url, key)
  const { data } = (await client.call('POST', '/contacts', { phone_number: '+14160000000' })).body
  const { promise: is_held, resolve: tellHeld } = Promise.withResolvers<void>()
  const { promise: until_free, resolve: free } = Promise.withResolvers<void>()
  const holding = overDatabase(data_dir, (pool) =>
    pool.tx(async (db) => {
      await db.one(sql`select id from contacts where workspace_id = ${workspace} and id = ${data.id} for update`)
      tellHeld()
      await until_free
    }),
  )
  await is_held
  const changing = change(client, data.id)
  return {
    async finish() {
      await sleep(held_ms)
      free()
      await Promise.all([holding, changing])
      client.close()
    },
  }
}

async function change({ call }: Client, id: string): Promise<void> {
  const { status, body } = await call('PATCH', `/contacts/${id}`, { notes: 'changed while stopping' })
  assert.deepEqual([status, body.data?.notes], [200, 'changed while stopping'])
}

async function compare({ url }: Service, { key }: Tenant, { answered, unanswered }: Outcomes): Promise<void> {
  const client = openClient(url, key)
  const there = new Set<string>()
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await client.call('GET', `/contacts?limit=100${cursor && `&cursor=${cursor}`}`)
    for (const { phone_number } of body.data) there.add(phone_number)
    cursor = body.pagination.next_cursor
  }
  client.close()
  assert.deepEqual(
    [...answered].filter((number) => !there.has(number)),
    [],
    'what was answered is there',
  )
  assert.deepEqual(
    [...unanswered].filter((number) => there.has(number)),
    [],
    'what was done has been answered',
  )
}
