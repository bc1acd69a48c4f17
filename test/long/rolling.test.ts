import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { migrate } from '../../server/kit/postgres/migrate.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { type Client, isOk, NoResponse, openClient, waitUntil } from '../faults/client.ts'
import { checkout, childrenOf, newTenant, type Service, startService, type Tenant } from '../faults/service.ts'
import { createDatabase } from '../support/harness.ts'
import { holdTransaction } from '../support/held-transaction.ts'
import { parley } from '../support/process.ts'

const { url, pool } = await createDatabase('rolling')
const environment = { DATABASE_URL: url, SECRETS_KEY: randomBytes(32).toString('base64') }

const client_count = 4
const pause_ms = 60
/** Longer than a request waits for a lock. */
const held_ms = 2_200

/** A copy of this checkout that gets more migrations. Always in the same folder, so that Node finds what it has compiled. */
const next_version = path.join(checkout, '.cache/next-version')
copyCheckout()
after(() => fs.rmSync(next_version, { recursive: true }))

function copyCheckout(): void {
  fs.rmSync(next_version, { recursive: true, force: true })
  const folders = ['bin', 'chat', 'dashboard', 'migrations', 'server', 'speech', 'voice']
  const copied = [...folders, 'package.json', 'package-lock.json']
  for (const name of copied) fs.cpSync(path.join(checkout, name), path.join(next_version, name), { recursive: true })
  for (const name of ['node_modules', '.cache'])
    fs.symlinkSync(path.join(checkout, name), path.join(next_version, name))
}

function addMigrations(migrations: Record<string, string>): void {
  for (const [name, text] of Object.entries(migrations))
    fs.writeFileSync(path.join(next_version, 'migrations', name), text)
}

const appliedLater = async (): Promise<string[]> =>
  (
    await pool.many<{ name: string }>(
      sql`select name from schema_migrations where name > '9' collate "C" order by name`,
    )
  ).map(({ name }) => name)

/** Sends requests to a server that is ready, as through a load balancer, until `isDone`. Any failure ends it. */
async function sendRequests(
  servers: Service[],
  { key }: Tenant,
  index: number,
  isDone: () => boolean,
): Promise<Map<Service, number>> {
  const clients = new Map<Service, Client>()
  const counts = new Map<Service, number>()
  for (let turn = index; !isDone(); turn += 1) {
    await sleep(pause_ms)
    const server = servers[turn % servers.length]
    if (!server) throw new Error('there is no server')
    const client = clients.get(server) ?? openClient(server.url, key)
    clients.set(server, client)
    if (!(await isReady(client))) continue
    try {
      await callContactRoutes(client, `+1415${index + 100}${String(turn).padStart(5, '0')}`)
    } catch (error) {
      // Nothing was sent: a load balancer tries the next server. A lost connection is a failure.
      if (error instanceof NoResponse && error.is_connection_refused) continue
      throw error
    }
    counts.set(server, (counts.get(server) ?? 0) + 1)
  }
  for (const client of clients.values()) client.close()
  return counts
}

/** Asks on the connection that the next requests use. */
async function isReady({ call }: Client): Promise<boolean> {
  try {
    const { status, headers } = await call('GET', '/ready')
    return status === 200 && headers.connection !== 'close'
  } catch (error) {
    if (error instanceof NoResponse) return false
    throw error
  }
}

async function callContactRoutes({ call }: Client, phone_number: string): Promise<void> {
  const created = await call('POST', '/contacts', { phone_number, last_name: 'Lovelace' })
  assert.equal(created.status, 201, JSON.stringify(created.body))
  // The server closes a connection after it has said so. A load balancer then opens no new one to it.
  if (created.headers.connection === 'close') return
  const address = `/contacts/${created.body.data.id}`
  for (const [method, path, body] of [
    ['PATCH', address, { company: 'Analytical Engines' }],
    ['GET', address],
    ['GET', '/contacts?search=lovelace&limit=5'],
  ] as const) {
    const { status, headers, body: answer } = await call(method, path, body)
    assert.equal(status, 200, `${method} ${path}: ${JSON.stringify(answer)}`)
    if (headers.connection === 'close') return
  }
}

test('the next version migrates and takes over under load, and no request fails', async (t) => {
  await using stack = new AsyncDisposableStack()
  const tenant = await newTenant(pool)
  await pool.run(
    sql`insert into contacts (workspace_id, id, phone_number, tags, source, created_at, updated_at)
      select ${tenant.workspace}, gen_random_uuid(), n::text, '{}', 'api', now(), now() from generate_series(1, 5000) as n`,
  )
  addMigrations({
    '9001_column.sql': "alter table contacts add column nickname text not null default ''",
    '9002_index.sql': `-- without a transaction
drop index concurrently if exists contacts_nickname;
create index concurrently contacts_nickname on contacts (workspace_id, nickname);
`,
  })
  const old = await startService(stack, environment)
  const servers = [old]
  let is_done = false
  let was_always_ready = true
  // Also after a failure, which would otherwise never end.
  stack.defer(() => {
    is_done = true
  })
  const loading = Promise.all(
    Array.from({ length: client_count }, (_, index) => sendRequests(servers, tenant, index, () => is_done)),
  )
  loading.catch(() => {})
  const watching = (async () => {
    for (; !is_done && servers.length === 1; await sleep(pause_ms)) was_always_ready &&= await isOk(old.url, '/ready')
  })()

  // A transaction that reads contacts keeps the migration waiting for its lock, and the index for its end.
  await using reader = await holdTransaction(pool, (db) => db.many(sql`select id from contacts limit 1`))
  const starting = startService(stack, environment, next_version)
  starting.catch(() => {})
  const waiting = sql`select from pg_locks where relation = 'contacts'::regclass and not granted`
  await waitUntil('the migration waits', async () => (await pool.many(waiting)).length > 0)
  await sleep(held_ms)
  assert.deepEqual(await appliedLater(), [])
  await reader.end()
  const next = await starting
  assert.deepEqual(await appliedLater(), ['9001_column.sql', '9002_index.sql'])
  servers.push(next)
  await watching
  assert.ok(was_always_ready, 'the old version stays ready during the migration and after it')

  await waitUntil('both are ready', async () => (await isOk(old.url, '/ready')) && (await isOk(next.url, '/ready')))
  await sleep(500)
  await old.stop()
  await sleep(200)
  is_done = true
  const counts = await loading
  const sum = (server: Service) => counts.reduce((total, one) => total + (one.get(server) ?? 0), 0)
  for (const server of servers) assert.ok(sum(server) > 0, 'both versions have served requests')
  t.diagnostic(`${sum(old)} rounds of four requests by the old version, ${sum(next)} by the next; none failed`)
})

test('a kill during a migration leaves whole migrations, and the next start applies the rest', async () => {
  addMigrations({
    '9003_first.sql': 'create table first_later (id integer)',
    '9004_second.sql': 'create table second_later (id integer); select pg_sleep(1)',
  })
  const killed = parley(['migrate'], environment, '', next_version)
  const sleeping = sql`select pid from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`
  await waitUntil('the second migration runs', async () => (await pool.many(sleeping)).length > 0)
  for (const pid of childrenOf(killed.child.pid ?? 0)) process.kill(pid, 'SIGKILL')
  await killed.ended
  assert.ok((await appliedLater()).includes('9003_first.sql'))
  assert.ok(!(await appliedLater()).includes('9004_second.sql'))
  assert.deepEqual(await migrate(pool, path.join(next_version, 'migrations')), ['9004_second.sql'])
})
