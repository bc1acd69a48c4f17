import pg from 'pg'
import type { Sql } from '../sql.ts'
import { askNodes, type Node, type OnNewConnection } from './ask-nodes.ts'
import { SilentNodes } from './silent-nodes.ts'

/**
 * A connection to a node fails after this long, which is longer than the check for silent nodes takes. By default Citus
 * waits half a minute.
 */
const node_connect_timeout_ms = 5_000

/** The settings of a connection. A database without Citus ignores them. */
export const connection_options = `-c citus.node_connection_timeout=${node_connect_timeout_ms}`

/**
 * An expression that says whether Citus shards the database: it does if `tenants` has the trigger that Citus gives each
 * table it manages. The tables of Citus can't be named where it isn't installed, and others in the database may use it
 * too.
 */
export const is_sharded_sql = `exists (select from pg_trigger
  where tgrelid = to_regclass('tenants') and tgfoid = to_regproc('citus_truncate_trigger'))`

interface Query {
  text: string
  values: unknown[]
}

type Result<Row> = pg.QueryResult<Row & pg.QueryResultRow>

/** What a pool knows about the nodes of its database. */
export class Cluster {
  /** False until a connection has answered for the first time. */
  is_sharded = false
  readonly #pool: pg.Pool
  readonly #onNewConnection: OnNewConnection
  #silent_nodes: SilentNodes | undefined

  constructor(pool: pg.Pool, onNewConnection: OnNewConnection) {
    this.#pool = pool
    this.#onNewConnection = onNewConnection
  }

  listNodes(): Promise<Node[]> {
    return this.is_sharded ? askNodes(this.#onNewConnection) : Promise.resolve([])
  }

  refuseSilentNodes(tables: { tenants: Sql; reference_tables: readonly string[] }): void {
    this.#silent_nodes ??= new SilentNodes({
      pool: this.#pool,
      isSharded: () => this.is_sharded,
      ...tables,
      onNewConnection: this.#onNewConnection,
    })
  }

  /** Sends a query as `to.query` does, but refuses it when it needs a node that doesn't answer. */
  send<Row>(to: pg.Pool | pg.PoolClient, query: Query): Promise<Result<Row>> {
    return this.#silent_nodes && this.is_sharded
      ? sendWatched<Row>(this.#silent_nodes, to, query)
      : to.query<Row & pg.QueryResultRow>(query)
  }

  stop(): void {
    this.#silent_nodes?.stop()
  }
}

/** Takes a connection from the pool by itself, so that `SilentNodes` knows which one the statement uses. */
async function sendWatched<Row>(nodes: SilentNodes, to: pg.Pool | pg.PoolClient, query: Query): Promise<Result<Row>> {
  nodes.assertAnswers(query)
  const run = (client: pg.PoolClient) => nodes.run(client, query, () => client.query<Row & pg.QueryResultRow>(query))
  if (!(to instanceof pg.Pool)) return run(to)
  const client = await to.connect()
  let failure: Error | undefined
  try {
    return await run(client)
  } catch (error) {
    failure = error instanceof Error ? error : new Error('a statement failed', { cause: error })
    throw error
  } finally {
    client.release(failure)
  }
}
