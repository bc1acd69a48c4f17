import { SetupError } from '../../server/kit/postgres/embedded/embedded.ts'
import type { Pool } from '../../server/kit/postgres/pool.ts'
import { openPool } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'

/** The nodes of the Citus cluster on which the tests run. `npm run test:cluster` sets the variable for all processes of the run. */

const variable = 'TEST_WORKER_URLS'

/** Whether the databases of this run are sharded by workspace. */
export const isCluster = (): boolean => workerUrls().length > 0

/** One URL for each worker. None on a plain PostgreSQL. */
const workerUrls = (): string[] => JSON.parse(process.env[variable] ?? '[]')

/** The same database on every node, the coordinator's first. */
export const onEveryNode = (url: string): string[] => [
  url,
  ...workerUrls().map((worker) => withDatabaseName(worker, databaseOf(url))),
]

export function withDatabaseName(url: string, database: string): string {
  const named = new URL(url)
  named.pathname = `/${database}`
  return named.href
}

export const databaseOf = (url: string): string => new URL(url).pathname.slice(1)

/** Reads the workers from the database at `url`, which an operator has made part of the cluster. */
export async function findWorkers(url: string): Promise<void> {
  const workers = await withPool(url, (pool) =>
    pool.many<{ host: string; port: number }>(
      sql`select nodename as host, nodeport as port from pg_dist_node
        where groupid <> 0 and noderole = 'primary' and isactive order by nodeid`,
    ),
  ).catch((error: Error) => {
    throw new SetupError(`TEST_CLUSTER_URL must name a database with the extension citus: ${error.message}`)
  })
  if (workers.length === 0) throw new SetupError('the database that TEST_CLUSTER_URL names has no workers')
  process.env[variable] = JSON.stringify(workers.map(({ host, port }) => at(url, host, port)))
}

function at(url: string, host: string, port: number): string {
  const moved = new URL(url)
  moved.hostname = host
  moved.port = String(port)
  return moved.href
}

/** Makes the databases at `url` one cluster. */
export async function joinNodes(url: string): Promise<void> {
  for (const node of onEveryNode(url)) await withPool(node, (pool) => pool.script('create extension citus'))
  const { hostname, port } = new URL(url)
  await withPool(url, async (pool) => {
    await pool.many(sql`select citus_set_coordinator_host(${hostname}, ${Number(port || 5432)})`)
    for (const worker of workerUrls().map((one) => new URL(one)))
      await pool.many(sql`select citus_add_node(${worker.hostname}, ${Number(worker.port)})`)
  })
}

/** A database to which something is connected can't be copied, and each node has a process of Citus in it. */
export async function closeDatabase(url: string): Promise<void> {
  const name = databaseOf(url)
  for (const node of onEveryNode(url))
    await withPool(withDatabaseName(node, 'postgres'), async (pool) => {
      await pool.script(`alter database ${name} allow_connections false`)
      const connected = sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`
      while ((await pool.many(connected)).length > 0);
    })
}

export async function withPool<T>(url: string, work: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = openPool({ url, size: 2, onError: console.error })
  try {
    return await work(pool)
  } finally {
    await pool.close()
  }
}
