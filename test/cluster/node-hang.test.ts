import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from '../../server/kit/postgres/sql.ts'
import { openDatabaseProxy } from '../faults/database-proxy.ts'
import { onEveryNode } from '../support/cluster.ts'
import { until } from '../support/conversations.ts'
import { type Answer, createDatabase, openServer, type Tenant, testPool } from '../support/harness.ts'
import { newContact, newWebhook } from '../support/samples.ts'

/** Closed before the database is dropped. */
const open = new AsyncDisposableStack()
after(() => open.disposeAsync())
const { url, pool } = await createDatabase('node_hang')
const node = onEveryNode(url).at(-1) ?? ''
/** The coordinator reaches the last worker through it, in this database only: other tests use the node. */
const proxy = await openDatabaseProxy(open, node)
const proxy_port = Number(new URL(proxy.url).port)
await pool.many(
  sql`select citus_update_node(nodeid, nodename, ${proxy_port}::int) from pg_dist_node
    where nodeport = ${Number(new URL(node).port)}::int`,
)
const server = await openServer(testPool(url))
open.defer(server.close)
/** More than the pool has connections: each could take one. */
const tenants_max = 8
const hanging: Tenant[] = []
let elsewhere: Tenant

async function isOnNode({ id }: Tenant): Promise<boolean> {
  const { port } = await pool.one<{ port: number }>(
    sql`select nodeport as port from pg_dist_placement join pg_dist_node using (groupid)
      where shardid = get_shard_id_for_distribution_column('contacts', ${id}::uuid)`,
  )
  return port === proxy_port
}

before(async () => {
  let other: Tenant | undefined
  while (hanging.length < tenants_max || !other) {
    const tenant = await server.workspace()
    if (await isOnNode(tenant)) hanging.push(tenant)
    else other = tenant
  }
  elsewhere = other
  const answers = await askHanging()
  assert.ok(
    answers.every(({ status }) => status < 300),
    'the node is reached through the proxy',
  )
  proxy.stopForwarding()
})

const askHanging = (): Promise<Answer[]> =>
  Promise.all(
    hanging.flatMap(({ call }) => [
      call('GET', '/contacts'),
      call('POST', '/contacts', newContact()),
      call('GET', '/events'),
    ]),
  )

test('a node that hangs keeps no connections from workspaces of other nodes', async () => {
  // Those that were sent before it is known wait, or lose their connections.
  for (const { status } of await askHanging()) assert.equal(status, 503)
  const asked = askHanging()
  const others = await Promise.all([
    elsewhere.call('GET', '/contacts'),
    elsewhere.call('POST', '/contacts', newContact()),
    elsewhere.call('GET', '/events'),
  ])
  assert.deepEqual(
    others.map(({ status }) => status),
    [200, 201, 200],
  )
  for (const { status, body } of await asked) assert.deepEqual([status, body.error.details.reason], [503, 'node_down'])
})

test('a write that each node takes part in is refused while one hangs', async () => {
  const { status, body } = await elsewhere.call('PATCH', '/workspace', { name: 'Another name' })
  assert.deepEqual([status, body.error.details.reason], [503, 'node_down'])
  assert.equal((await elsewhere.call('POST', '/webhooks', newWebhook())).status, 201)
})

test('a node that hangs counts as down', async () => {
  const { status, body } = await server.fetch('GET', '/ready')
  assert.deepEqual([status, body], [200, { status: 'ready', nodes_down: 1 }])
})

test('its workspaces can be used again once it goes on', async () => {
  proxy.forwardTo(node)
  await until(async () => (await askHanging()).every(({ status }) => status < 300))
  assert.deepEqual((await server.fetch('GET', '/ready')).body, { status: 'ready', nodes_down: 0 })
})
