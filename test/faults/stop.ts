import assert from 'node:assert/strict'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '../../server/kit/postgres/sql.ts'
import { type Client, NoResponse, openClient } from './client.ts'
import { between } from './random.ts'
import type { RunOptions, Scenario } from './scenario.ts'
import {
  checkout,
  makeTempFolder,
  newTenant,
  type Service,
  startService,
  type Tenant,
  withEmbeddedPool,
} from './service.ts'

const clients = 16
const stop_after_max_ms = 500
/** Longer than the start of the shutdown, shorter than its wait for requests in flight. */
const held_ms = 1_000

export const scenario: Scenario = {
  name: 'stop',
  about: 'SIGTERM under load loses no accepted request',
  run,
}

/** The phone numbers of the creates, by their outcome. */
interface Outcomes {
  answered: Set<string>
  /** Sent, and closed without a response. */
  unanswered: Set<string>
  /** Responses with `Connection: close`. */
  closing_responses: number
}

async function run({ is_long, rounds, random, print }: RunOptions): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const DATA_DIR = path.join(makeTempFolder(stack, 'stop'), 'data')
  const count = is_long ? Math.ceil(rounds / 5) : 2
  const start = (round: number) => startService(stack, { DATA_DIR }, checkout, processesIn(round))
  let service = await start(0)
  for (let round = 0; round < count; round += 1) {
    const tenant = await withEmbeddedPool(DATA_DIR, newTenant)
    const outcomes: Outcomes = { answered: new Set(), unanswered: new Set(), closing_responses: 0 }
    const creating = Array.from({ length: clients }, (_, client_index) =>
      createUntilConnectionRefused(service, tenant, client_index, outcomes),
    )
    const all_created = Promise.all(creating)
    all_created.catch(() => {})
    const holding = await holdChange(DATA_DIR, service, tenant)
    await sleep(between(random, 0, stop_after_max_ms))
    const signaled_at = performance.now()
    await Promise.all([service.stop(), holding.finish(), all_created])
    const stopped_ms = performance.now() - signaled_at
    service = await start(round + 1)
    await assertOutcomes(service, tenant, outcomes)
    assert.ok(outcomes.closing_responses > 0, 'clients were notified that their connections close')
    print(
      `round ${round + 1}, processes: ${processesIn(round)}: stopped within ${stopped_ms.toFixed()} ms; ${outcomes.answered.size} creates answered, ` +
        `${outcomes.unanswered.size} not accepted, none of them done`,
    )
  }
  await service.stop()
}

/** Two in every other round. */
const processesIn = (round: number): number => (process.platform === 'linux' ? 1 + (round % 2) : 1)

async function createUntilConnectionRefused(
  { url }: Service,
  { key }: Tenant,
  client_index: number,
  outcomes: Outcomes,
): Promise<void> {
  const client = openClient(url, key)
  for (let count = 0; ; count += 1) {
    const phone_number = `+1415${client_index + 100}${String(count).padStart(5, '0')}`
    try {
      const { status, headers } = await client.call('POST', '/contacts', { phone_number })
      assert.equal(status, 201)
      outcomes.answered.add(phone_number)
      if (headers.connection === 'close') outcomes.closing_responses += 1
    } catch (error) {
      if (!(error instanceof NoResponse)) throw error
      assert.equal(error.is_truncated, false, 'a response that began is complete')
      if (error.is_connection_refused) break
      outcomes.unanswered.add(phone_number)
    }
  }
  client.close()
}

/** Starts a change that waits in the database during the shutdown. It must be finished and answered. */
async function holdChange(
  data_dir: string,
  { url }: Service,
  { key, workspace }: Tenant,
): Promise<{ finish: () => Promise<void> }> {
  const client = openClient(url, key)
  const { data } = (await client.call('POST', '/contacts', { phone_number: '+14160000000' })).body
  const { promise: is_held, resolve: resolveHeld } = Promise.withResolvers<void>()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const holding = withEmbeddedPool(data_dir, (pool) =>
    pool.tx(async (db) => {
      await db.one(sql`select id from contacts where workspace_id = ${workspace} and id = ${data.id} for update`)
      resolveHeld()
      await released
    }),
  )
  await is_held
  const changing = change(client, data.id)
  return {
    async finish() {
      await sleep(held_ms)
      release()
      await Promise.all([holding, changing])
      client.close()
    },
  }
}

async function change({ call }: Client, id: string): Promise<void> {
  const { status, body } = await call('PATCH', `/contacts/${id}`, { notes: 'changed during shutdown' })
  assert.deepEqual([status, body.data?.notes], [200, 'changed during shutdown'])
}

async function assertOutcomes({ url }: Service, { key }: Tenant, { answered, unanswered }: Outcomes): Promise<void> {
  const client = openClient(url, key)
  const stored = new Set<string>()
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await client.call('GET', `/contacts?limit=100${cursor && `&cursor=${cursor}`}`)
    for (const { phone_number } of body.data) stored.add(phone_number)
    cursor = body.pagination.next_cursor
  }
  client.close()
  assert.deepEqual(
    [...answered].filter((number) => !stored.has(number)),
    [],
    'answered creates are stored',
  )
  assert.deepEqual(
    [...unanswered].filter((number) => stored.has(number)),
    [],
    'unanswered creates are not stored',
  )
}
