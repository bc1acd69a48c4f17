import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from '../../server/kit/postgres/sql.ts'
import { databaseOf, onEveryNode, withDatabaseName, withPool } from '../support/cluster.ts'
import { type Answer, createDatabase, openServer, type Tenant, testPool } from '../support/harness.ts'
import { newApiKey, newContact, newIntegration } from '../support/samples.ts'

/** Closed before the database is dropped. */
const open = new AsyncDisposableStack()
after(() => open.disposeAsync())
const { url, pool } = await createDatabase('node_down')
const server = await openServer(testPool(url))
open.defer(server.close)

/** The same database on the last worker, which is down in these tests. */
const node = onEveryNode(url).at(-1) ?? ''
let on_node_down: Tenant
let elsewhere: Tenant

/** As if the node were down, but only for this database: other tests use the node. */
async function setDown(is_down: boolean): Promise<void> {
  await withPool(withDatabaseName(node, 'postgres'), async (admin) => {
    const name = databaseOf(node)
    await admin.script(`alter database ${name} allow_connections ${!is_down}`)
    if (is_down) await admin.many(sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`)
  })
}

async function isOnNode({ id }: Tenant): Promise<boolean> {
  const { port } = await pool.one<{ port: number }>(
    sql`select nodeport as port from pg_dist_placement join pg_dist_node using (groupid)
      where shardid = get_shard_id_for_distribution_column('contacts', ${id}::uuid)`,
  )
  return port === Number(new URL(node).port)
}

async function findTenant(is_on_node: boolean): Promise<Tenant> {
  for (;;) {
    const tenant = await server.workspace()
    if ((await isOnNode(tenant)) === is_on_node) return tenant
  }
}

before(async () => {
  on_node_down = await findTenant(true)
  elsewhere = await findTenant(false)
  await setDown(true)
})

function assertNodeDown({ status, body, headers }: Answer): void {
  assert.deepEqual([status, body?.error?.details?.reason], [503, 'node_down'])
  assert.equal(headers.get('retry-after'), '1')
}

test('a workspace on the node gets 503', async () => {
  const { call } = on_node_down
  assertNodeDown(await call('GET', '/contacts'))
  assertNodeDown(await call('POST', '/contacts', newContact()))
  assertNodeDown(await call('GET', '/contacts/01a1ec97-6d3a-7000-863b-f0d7eeaebd73'))
})

test('other workspaces read and write as before', async () => {
  const { call } = elsewhere
  const created = await call('POST', '/contacts', newContact())
  assert.equal(created.status, 201)
  const { id } = created.body.data
  const answers = await Promise.all([
    call('GET', `/contacts/${id}`),
    call('PATCH', `/contacts/${id}`, { first_name: 'Ada' }),
    call('GET', '/contacts?search=555'),
    call('GET', '/events'),
    call('GET', '/workspace'),
    call('GET', '/overview'),
  ])
  answers.push(await call('DELETE', `/contacts/${id}`))
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 200, 200, 200, 200],
  )
})

test('requests of both at the same moment do not fail together', async () => {
  const contact = await elsewhere.call('POST', '/contacts', newContact())
  const path = `/contacts/${contact.body.data.id}`
  const answers = await Promise.all([
    ...Array.from({ length: 5 }, () => on_node_down.call('GET', path)),
    ...Array.from({ length: 5 }, () => elsewhere.call('GET', path)),
  ])
  assert.deepEqual(
    answers.map(({ status }) => status),
    [503, 503, 503, 503, 503, 200, 200, 200, 200, 200],
  )
})

test('what every node has can not be written', async () => {
  const { call } = elsewhere
  assertNodeDown(await call('PATCH', '/workspace', { name: 'Another name' }))
  assertNodeDown(await call('POST', '/api_keys', newApiKey()))
  assertNodeDown(await call('POST', '/integrations', newIntegration()))
})

test('the service is ready, and says how many nodes are down', async () => {
  const { status, body } = await server.fetch('GET', '/ready')
  assert.deepEqual([status, body], [200, { status: 'ready', nodes_down: 1 }])
})

test('everything works again once the node is up', async () => {
  await setDown(false)
  assert.equal((await on_node_down.call('POST', '/contacts', newContact())).status, 201)
  assert.equal((await elsewhere.call('PATCH', '/workspace', { name: `Another name ${elsewhere.id}` })).status, 200)
})
