import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { openPool, type Pool } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { databaseOf, withDatabaseName } from '../support/cluster.ts'
import { addDurableDatabase, type DurableDatabase, shard } from '../support/durable-cluster.ts'
import { type Client, openClient, type Reply, waitUntil } from './client.ts'
import { summarizeDurations } from './durations.ts'
import { assertUnavailable, type Ledger, openLedger } from './ledger.ts'
import { openNode, type WorkerNode } from './nodes.ts'
import { between, pick, split } from './random.ts'
import type { RunOptions, Scenario } from './scenario.ts'
import { newTenant, type Service, startService, type Tenant, withPool } from './service.ts'

const faults = {
  kill: 'kill -9 of a worker node',
  immediate: 'immediate shutdown of a worker node',
  service: 'kill -9 of one of two services',
  both: 'kill -9 of a worker node and of one of two services',
}
type Fault = keyof typeof faults
const kinds = Object.keys(faults) as Fault[]
const shards = 8
const tenants_per_node = 2
const clients_per_service = 2
const kill_after_max_ms = 1_000
const down_ms = { min: 500, max: 3_000 }
const continue_ms = 200

export const scenario: Scenario = {
  name: 'cluster',
  about: 'a worker node that is down stops its own workspaces only, and nothing acknowledged is lost',
  run,
}

/** A workspace, and the node that has its rows. */
interface Placed extends Tenant {
  port: number
}

/** What one workspace was asked in a round, and what was answered. */
interface Load {
  tenant: Placed
  ledger: Ledger
  /** Responses with a 5xx, and requests without one. */
  failures: { begun_at: number; service: Service; what: string }[]
}

interface World {
  options: RunOptions
  database: DurableDatabase
  pool: Pool
  nodes: WorkerNode[]
  services: [Service, Service]
  /** Has a conversation with an agent. One for each node. */
  witnesses: Witness[]
}

interface Witness {
  tenant: Placed
  conversation_id: string
}

async function run(options: RunOptions): Promise<void> {
  const { is_long, rounds, random, print } = options
  const { TEST_CLUSTER_URL: coordinator, TEST_CLUSTER_FOLDERS: folders } = process.env
  if (!coordinator || !folders)
    return print('left out: TEST_CLUSTER_URL names a coordinator, TEST_CLUSTER_FOLDERS the data folders of its workers')
  await using stack = new AsyncDisposableStack()
  const world = await openWorld(stack, { options, coordinator, folders: folders.split(',') })
  const count = is_long ? Math.ceil(rounds / 2) : kinds.length
  const sums = { acknowledged: 0, unavailable: 0, unanswered: 0 }
  const back_times: number[] = []
  const all_loads: Load[] = []
  for (let round = 0; round < count; round += 1) {
    const fault = kinds[round % kinds.length] ?? 'kill'
    const node = pick(random, world.nodes)
    const { loads, back_ms, in_doubt } = await inject(stack, world, fault, node)
    all_loads.push(...loads)
    back_times.push(back_ms)
    for (const { ledger } of loads)
      for (const name of ['acknowledged', 'unavailable', 'unanswered'] as const) sums[name] += ledger.tally[name]
    print(
      `round ${round + 1}: ${describe(fault, node, loads)}; back after ${back_ms.toFixed()} ms; ${in_doubt} in doubt`,
    )
  }
  for (const load of all_loads) await check(world, load)
  const { acknowledged, unavailable, unanswered } = sums
  print(
    `${count} rounds: ${acknowledged} writes acknowledged, ${unavailable} answered 503, ${unanswered} without a response; ` +
      `0 lost, 0 duplicated; workspaces on the other node went on; back after ${summarizeDurations(back_times).text}`,
  )
  for (const service of world.services) await service.stop()
}

function describe(fault: Fault, { port }: WorkerNode, loads: Load[]): string {
  const sumOf = (is_on_node: boolean) => {
    const tallies = loads
      .filter(({ tenant }) => (tenant.port === port) === is_on_node)
      .map(({ ledger }) => ledger.tally)
    const total = (name: 'acknowledged' | 'unavailable' | 'unanswered') =>
      tallies.reduce((sum, tally) => sum + tally[name], 0)
    return `${total('acknowledged')} acknowledged, ${total('unavailable')} 503, ${total('unanswered')} unanswered`
  }
  return `${faults[fault]} (${port}): there ${sumOf(true)}; elsewhere ${sumOf(false)}`
}

async function openWorld(
  stack: AsyncDisposableStack,
  { options, coordinator, folders }: { options: RunOptions; coordinator: string; folders: string[] },
): Promise<World> {
  const database = await addDurableDatabase(stack, coordinator)
  // After it, so that all of them run when it is dropped.
  const nodes = folders.map((folder) => openNode(stack, folder))
  const ports = database.workers.map((url) => Number(new URL(url).port))
  assert.deepEqual(nodes.map(({ port }) => port).sort(), ports.sort(), 'the folders are those of the workers')
  await shard(database.url, shards)
  const pool = openPool({ url: database.url, size: 2, onError: () => {} })
  stack.defer(() => pool.close())
  const start = () => startService(stack, settingsFor(database))
  const services: World['services'] = [await start(), await start()]
  const world: World = { options, database, pool, nodes, services, witnesses: [] }
  for (const { port } of nodes) world.witnesses.push(await addWitness(world, await tenantOn(pool, port)))
  return world
}

/** Creates workspaces until one is on this node. */
async function tenantOn(pool: Pool, port: number): Promise<Placed> {
  for (;;) {
    const tenant = await newTenant(pool)
    const placed = await pool.one<{ port: number }>(
      sql`select nodeport as port from pg_dist_placement join pg_dist_node using (groupid)
        where shardid = get_shard_id_for_distribution_column('contacts', ${tenant.workspace}::uuid)`,
    )
    if (placed.port === port) return { ...tenant, port }
  }
}

const script = {
  start: 'greet',
  nodes: { greet: { say: 'Hello, how can I help?', else: { say: 'We are open from nine to six.', go: 'greet' } } },
}

async function addWitness({ services: [{ url }] }: World, tenant: Placed): Promise<Witness> {
  const client = openClient(url, tenant.key)
  const make = async (path: string, body: object) => {
    const reply = await client.call('POST', `/api/v1${path}`, body)
    assert.equal(reply.status, 201, JSON.stringify(reply.body))
    return reply.body.data.id
  }
  const agent_id = await make('/agents', { name: 'Reception', script })
  const conversation_id = await make('/conversations', { agent_id })
  client.close()
  return { tenant, conversation_id }
}

interface Injected {
  loads: Load[]
  /** From the kill until everything is served again. */
  back_ms: number
  /** Transactions that were prepared on a node when it was killed. */
  in_doubt: number
}

/** Kills under load, at a random moment, and starts again what was killed. */
async function inject(stack: AsyncDisposableStack, world: World, fault: Fault, node: WorkerNode): Promise<Injected> {
  const { options, pool, nodes, services } = world
  const { random } = options
  const loads: Load[] = []
  for (const { port } of nodes)
    for (let count = 0; count < tenants_per_node; count += 1)
      loads.push({ tenant: await tenantOn(pool, port), ledger: openLedger(), failures: [] })
  const [victim] = services
  const ends_service = fault === 'service' || fault === 'both'
  const ends_node = fault !== 'service'
  let is_over = false
  let is_victim_over = false
  using clients = new DisposableStack()
  const connect = (service: Service, load: Load) => {
    const client = watched(openClient(service.url, load.tenant.key), service, load)
    clients.defer(() => client.close())
    return client
  }
  const working = Promise.all(
    loads.flatMap((load) =>
      services.flatMap((service) =>
        Array.from({ length: clients_per_service }, () =>
          load.ledger.runWrites(
            connect(service, load),
            split(random),
            () => is_over || (is_victim_over && service === victim),
          ),
        ),
      ),
    ),
  )
  working.catch(() => {})
  try {
    await waitUntil('each workspace is written to', () => loads.every(({ ledger }) => ledger.tally.acknowledged > 0))
    await sleep(between(random, 0, kill_after_max_ms))
    const begun_at = performance.now()
    await Promise.all([
      ends_node && node.crash(fault === 'immediate' ? 'immediate' : 'kill'),
      ends_service && victim.kill(),
    ])
    const killed_at = performance.now()
    is_victim_over = ends_service
    if (ends_node) {
      await assertOthersGoOn(world, node)
      await sleep(between(random, down_ms.min, down_ms.max))
      await node.start()
    }
    if (ends_service) services[0] = await startService(stack, settingsFor(world.database))
    for (const load of loads) await untilServed(world, load)
    const back_ms = performance.now() - begun_at
    await sleep(continue_ms)
    is_over = true
    await working
    const in_doubt = await settle(world)
    for (const load of loads) {
      assertSpared(load, { node: ends_node ? node : undefined, victim: ends_service ? victim : undefined, killed_at })
      await check(world, load)
    }
    return { loads, back_ms, in_doubt }
  } finally {
    is_over = true
  }
}

const settingsFor = ({ url }: DurableDatabase) => ({ DATABASE_URL: url, SECRETS_KEY: 'x'.repeat(32) })

/** Notes each 5xx and each request without a response. */
function watched({ call, close }: Client, service: Service, { failures }: Load): Client {
  return {
    close,
    async call(method, path, body, headers) {
      const begun_at = performance.now()
      const note = (what: string) => failures.push({ begun_at, service, what: `${method} ${path}: ${what}` })
      try {
        const reply = await call(method, path, body, headers)
        if (reply.status >= 500) note(`${reply.status} ${JSON.stringify(reply.body)}`)
        return reply
      } catch (error) {
        note(String(error))
        throw error
      }
    },
  }
}

interface Killed {
  node: WorkerNode | undefined
  victim: Service | undefined
  killed_at: number
}

/** Only requests in flight may fail where nothing was killed. */
function assertSpared({ tenant, failures }: Load, { node, victim, killed_at }: Killed): void {
  if (tenant.port === node?.port) return
  const wrong = failures.filter(({ begun_at, service }) => service !== victim && begun_at > killed_at)
  assert.deepEqual(
    wrong.map(({ what, begun_at }) => `${(begun_at - killed_at).toFixed()} ms after the kill: ${what}`),
    [],
    `workspace ${tenant.workspace} at ${tenant.port}`,
  )
}

/** While a node is down, its workspaces get 503, and everything but writes to all nodes goes on for the others. */
async function assertOthersGoOn({ services: [, { url }], witnesses }: World, node: WorkerNode): Promise<void> {
  for (const { tenant, conversation_id } of witnesses) {
    const client = openClient(url, tenant.key)
    const { call } = client
    const rename = await call('PATCH', '/api/v1/workspace', { name: `renamed ${tenant.workspace}` })
    assertUnavailable(rename)
    assert.equal(rename.body.error.details?.reason, 'node_down', 'a write to all nodes says why it failed')
    if (tenant.port === node.port) assertUnavailable(await call('GET', '/contacts'))
    else {
      const path = `/api/v1/conversations/${conversation_id}`
      const { seq } = dataOf(await call('POST', `${path}/messages`, { text: 'When are you open?' }))
      await waitUntil('the agent answers', async () => {
        const turns: { role: string; is_open?: boolean }[] = dataOf(await call('GET', `${path}/turns?after=${seq}`))
        return turns.some(({ role }) => role === 'agent')
      })
      const { id } = dataOf(await call('POST', '/contacts', { phone_number: newNumber() }))
      await waitUntil('the event has a position', async () => {
        const events = dataOf(await call('GET', `/api/v1/events?resource_id=${id}`))
        return events.length === 1
      })
    }
    client.close()
  }
  const client = openClient(url, '')
  await waitUntil('/ready counts the node', async () => {
    const { status, body } = await client.call('GET', '/ready')
    assert.equal(status, 200)
    return body.nodes_down === 1
  })
  client.close()
}

const newNumber = (): string => `+1212${String(Math.floor(Math.random() * 10_000_000)).padStart(7, '0')}`

function dataOf({ status, body }: Reply) {
  assert.ok(status === 200 || status === 201, `${status}: ${JSON.stringify(body)}`)
  return body.data
}

/** Both services serve the workspace. */
async function untilServed({ services }: World, { tenant }: Load): Promise<void> {
  for (const { url } of services) {
    const client = openClient(url, tenant.key)
    await waitUntil('the workspace is served again', async () => (await client.call('GET', '/contacts')).status === 200)
    client.close()
  }
}

/** Waits until no transaction is in doubt: Citus ends these once a minute. Returns how many there were. */
async function settle({ database }: World): Promise<number> {
  const name = databaseOf(database.url)
  const count = async () => {
    const counts = await Promise.all(
      database.workers.map((url) =>
        withPool(withDatabaseName(url, 'postgres'), (pool) =>
          pool.one<{ count: number }>(
            sql`select count(*)::int as count from pg_prepared_xacts where database = ${name}`,
          ),
        ),
      ),
    )
    return counts.reduce((sum, one) => sum + one.count, 0)
  }
  const in_doubt = await count()
  await waitUntil('no transaction is in doubt', async () => (await count()) === 0)
  return in_doubt
}

async function check({ pool, services }: World, { tenant, ledger }: Load): Promise<void> {
  for (const { url } of services) {
    const client = openClient(url, tenant.key)
    await ledger.retryUnanswered(client)
    await ledger.assertMatches(client)
    client.close()
  }
  const { total } = await pool.one<{ total: number }>(
    sql`select count(*)::int as total from events where workspace_id = ${tenant.workspace} and type = 'contact.created'`,
  )
  assert.equal(total, ledger.created(), 'each create happened once')
}
