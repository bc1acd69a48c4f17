import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { copyCalls } from '../../bench/calls/lists.ts'
import { addTenant } from '../../bench/fill.ts'
import type { Tenant as Filled } from '../../bench/rows.ts'
import { copyLinesFor, copyPeople, fill_parley, plainTable } from '../../bench/scale/fill.ts'
import { table_classes } from '../../server/table-classes.ts'
import { databaseOf, withDatabaseName } from '../support/cluster.ts'
import { addDurableDatabase, type DurableDatabase, runOn } from '../support/durable-cluster.ts'
import { openClient } from './client.ts'
import { summarizeDurations } from './durations.ts'
import { type Ledger, openLedger } from './ledger.ts'
import { split } from './random.ts'
import type { RunOptions, Scenario } from './scenario.ts'
import { newTenant, type Service, startService, type Tenant, withPool } from './service.ts'

const sizes = {
  long: { workspaces: 20, contacts: 50_000, calls: 5_000 },
  short: { workspaces: 4, contacts: 500, calls: 50 },
}
const shards = 32
const writing_workspaces = 8
const read_every_ms = 20
const poll_every_ms = 500

export const scenario: Scenario = {
  name: 'shards',
  about: 'sharding keeps every row, and shards move to a new worker node while the service runs',
  run,
}

interface World {
  options: RunOptions
  database: DurableDatabase
  /** Without timeouts. */
  client: pg.Client
  /** Workspaces with contacts and calls, which nobody changes. */
  filled: Filled[]
}

async function run(options: RunOptions): Promise<void> {
  const { print } = options
  const { TEST_CLUSTER_URL: coordinator, TEST_CLUSTER_NEW_NODE: new_node } = process.env
  if (!coordinator)
    return print('left out: TEST_CLUSTER_URL names a coordinator, TEST_CLUSTER_NEW_NODE a PostgreSQL to be added')
  await using stack = new AsyncDisposableStack()
  const database = await addDurableDatabase(stack, coordinator)
  await runOn(database.url, ['migrate'])
  const client = new pg.Client({ connectionString: database.url, options: '-c timezone=UTC' })
  await client.connect()
  stack.defer(() => client.end())
  const world: World = { options, database, client, filled: await fill(database, client, options) }
  await shardAll(world)
  if (!new_node) return print('no shard was moved: TEST_CLUSTER_NEW_NODE is not set')
  await moveShards(stack, world, new_node)
}

async function fill({ url }: DurableDatabase, client: pg.Client, options: RunOptions): Promise<Filled[]> {
  const { is_long, seed, print } = options
  const { workspaces, contacts, calls } = is_long ? sizes.long : sizes.short
  const begun_at = performance.now()
  const { signal } = new AbortController()
  const filled: Filled[] = []
  await withPool(url, async (pool) => {
    while (filled.length < workspaces) filled.push(await addTenant(pool, `Workspace ${filled.length}`))
  })
  await client.query(plainTable('temp table'))
  for (const [index, tenant] of filled.entries()) {
    await copyPeople(client, copyLinesFor(tenant, contacts, seed + index), signal)
  }
  await client.query(fill_parley)
  await client.query('drop table plain_contacts')
  for (const tenant of filled) await copyCalls(client, { tenant, count: calls }, signal)
  await client.query('set session_replication_role = origin')
  await client.query('vacuum analyze')
  const total = (each: number) => (each * workspaces).toLocaleString('en')
  print(`filled with ${total(contacts)} contacts and ${total(calls)} calls in ${secondsSince(begun_at)} s`)
  return filled
}

const secondsSince = (begun_at: number): string => ((performance.now() - begun_at) / 1_000).toFixed(1)

async function shardAll({ options: { print }, database, client }: World): Promise<void> {
  const before = await hashTables(client)
  const begun_at = performance.now()
  await runOn(database.url, ['shard', '--yes', '--shards', String(shards)])
  const seconds = secondsSince(begun_at)
  assert.deepEqual(await hashTables(client), before, 'each table has the rows that it had')
  const rows = Object.values(before).reduce((sum, table) => sum + table.rows, 0)
  print(
    `sharded ${Object.keys(before).length} tables with ${rows.toLocaleString('en')} rows in ${seconds} s; ` +
      `rows and hash of each are equal before and after`,
  )
}

interface Hashed {
  rows: number
  hash: string
}

/** A hash of each table's rows, in any order. With `workspaces`, only of theirs, in tables that are sharded. */
async function hashTables(client: pg.Client, workspaces?: string[]): Promise<Record<string, Hashed>> {
  const found = await client.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
      and not relation_is_a_known_shard(oid) order by relname`,
  )
  const not_sharded = [...table_classes.local, ...table_classes.reference]
  const tables: Record<string, Hashed> = {}
  for (const { name } of found.rows) {
    if (workspaces && (not_sharded.includes(name) || isComputed(name))) continue
    const { rows } = await client.query<Hashed>(
      `select count(*)::float8 as rows, sum(hashtextextended(${name}::text, 0))::text as hash from ${name}
        ${workspaces ? 'where workspace_id = any($1::uuid[])' : ''}`,
      workspaces ? [workspaces] : [],
    )
    if (rows[0]) tables[name] = rows[0]
  }
  return tables
}

/** The service computes totals of large workspaces in the background. */
const isComputed = (table: string): boolean => table.startsWith('contact_search_')

/** What clients noticed of one kind of request. */
interface Noticed {
  durations: number[]
  failures: string[]
}

interface Writing {
  tenant: Tenant
  ledger: Ledger
}

/** Adds a node and moves shards to it, under reads and writes. */
async function moveShards(stack: AsyncDisposableStack, world: World, new_node: string): Promise<void> {
  const { options, database, client, filled } = world
  const { print, random } = options
  const service = await startService(stack, { DATABASE_URL: database.url, SECRETS_KEY: 'x'.repeat(32) })
  const workspaces = filled.map(({ workspace_id }) => workspace_id)
  const before = await hashTables(client, workspaces)
  const writing: Writing[] = await withPool(database.url, async (pool) => {
    const tenants: Writing[] = []
    while (tenants.length < writing_workspaces) tenants.push({ tenant: await newTenant(pool), ledger: openLedger() })
    return tenants
  })
  let is_over = false
  const isOver = () => is_over
  const [reads, writes]: [Noticed, Noticed] = [
    { durations: [], failures: [] },
    { durations: [], failures: [] },
  ]
  const working = Promise.all([
    ...writing.map(({ tenant, ledger }) =>
      ledger.runWrites(noticing(service, tenant.key, writes), split(random), isOver),
    ),
    ...filled.map(({ token }) => read(noticing(service, token, reads), isOver)),
  ])
  working.catch(() => {})
  try {
    await addNode(stack, world, new_node)
    const begun_at = performance.now()
    await client.query('select citus_rebalance_start()')
    await waitForRebalance(client)
    print(`moved shards in ${secondsSince(begun_at)} s; now ${await describePlacements(client)}`)
  } finally {
    is_over = true
  }
  await working
  for (const { tenant, ledger } of writing) {
    const checking = openClient(service.url, tenant.key)
    await ledger.retryUnanswered(checking)
    await ledger.assertMatches(checking)
    checking.close()
  }
  for (const [name, { durations, failures }] of Object.entries({ reads, writes })) {
    print(`${durations.length} ${name}: ${summarizeDurations(durations).text}; ${failures.length} answered 5xx`)
    for (const [text, times] of Map.groupBy(failures, (one) => one)) print(`  ${times.length} ${text}`)
  }
  assert.deepEqual(await hashTables(client, workspaces), before, 'each table has the rows that it had')
  print('nothing acknowledged was lost, and the rows of the other workspaces are equal before and after')
  await service.stop()
}

/** A client that notes how long each response takes. */
function noticing({ url }: Service, key: string, { durations, failures }: Noticed): ReturnType<typeof openClient> {
  const { call, close } = openClient(url, key)
  return {
    close,
    async call(...words) {
      const reply = await call(...words)
      durations.push(reply.duration_ms)
      if (reply.status >= 500) failures.push(`${reply.status} ${reply.body.error?.message}`)
      return reply
    },
  }
}

async function read({ call, close }: ReturnType<typeof openClient>, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const { status, body } = await call('GET', '/contacts?limit=1')
    assert.ok(status === 200 || status === 503, `${status}: ${JSON.stringify(body)}`)
    await sleep(read_every_ms)
  }
  close()
}

/** As an operator does it. The database of the node is dropped with the stack. */
async function addNode(stack: AsyncDisposableStack, { database, client }: World, new_node: string): Promise<void> {
  const name = databaseOf(database.url)
  const admin = withDatabaseName(new_node, 'postgres')
  await withPool(admin, (pool) => pool.script(`create database ${name}`))
  stack.defer(() => withPool(admin, (pool) => pool.script(`drop database ${name} with (force)`)))
  await withPool(withDatabaseName(new_node, name), (pool) => pool.script('create extension citus'))
  const { hostname, port } = new URL(new_node)
  await client.query('select citus_add_node($1, $2)', [hostname, Number(port)])
}

async function waitForRebalance(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ state: string; details: object }>('select * from citus_rebalance_status()')
    const { state, details } = rows[0] ?? {}
    if (state === 'finished') return
    assert.ok(!['failed', 'failing', 'cancelled'].includes(state ?? ''), `${state}: ${JSON.stringify(details)}`)
    await sleep(poll_every_ms)
  }
}

async function describePlacements(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ nodeport: number; count: number }>(
    `select nodeport, count(*)::int as count from pg_dist_shard_placement join pg_dist_shard using (shardid)
      where logicalrelid = 'contacts'::regclass group by 1 order by 1`,
  )
  return rows.map(({ nodeport, count }) => `${count} at ${nodeport}`).join(', ')
}
