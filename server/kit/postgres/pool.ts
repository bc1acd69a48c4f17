import pg from 'pg'
import * as clock from '../clock.ts'
import type { Node, OnNewConnection } from './citus/ask-nodes.ts'
import { Cluster, connection_options, is_sharded_sql } from './citus/cluster.ts'
import { CopyQuery, copyOut } from './copy.ts'
import { type Notification, openNotifications } from './notifications.ts'
import { openResponsiveReads } from './responsive.ts'
import type { Sql, StatementFor } from './sql.ts'
import { traceStatement } from './statement-span.ts'
import { openDatabaseTime } from './time.ts'
import { lock_timeout_ms, runTransaction, type TxOptions } from './transaction.ts'
import { getTypeParser } from './type-parsers.ts'

/** Runs statements: on the pool, or in one transaction. */
export interface Db {
  many<Row>(statement: StatementFor<Row>): Promise<Row[]>
  /** Fails when there is more than one row. */
  maybe<Row>(statement: StatementFor<Row>): Promise<Row | undefined>
  /** Fails unless there is exactly one row. */
  one<Row>(statement: StatementFor<Row>): Promise<Row>
  /** Returns the number of changed rows. */
  run(statement: Sql): Promise<number>
  /** Inserts lines from `copyLine` or `copyOut` with COPY, the fastest way to insert many rows. */
  copy(table: string, columns: readonly string[], lines: string | Buffer): Promise<void>
  /** Runs several statements in one text, such as a migration. */
  script(text: string): Promise<void>
  /** The database's time, by which leases go: the clocks of processes may differ. */
  time(): number
  /**
   * Whether Citus shards the database. Only `citus/` asks: it has verbs for what differs then. False until a connection
   * has answered for the first time.
   */
  isSharded(): boolean
  /** Notifies the subscribers of this process. In a transaction they are notified after the commit. */
  notify(notification: Notification): void
  /** Runs `work` after the commit, and not at all after a rollback. Outside of a transaction it runs now. It must not throw. */
  afterCommit(work: () => void): void
  /** Runs `work` in a transaction, READ COMMITTED by default. Retries after deadlocks and unique violations. */
  tx<T>(work: (db: Db) => Promise<T>, options?: TxOptions): Promise<T>
}

/** Runs statements on a connection of its own. */
export interface Session extends Db {
  /** Reads all rows in the text format of COPY, in chunks of whole rows, as fast as they are taken. */
  copyOut(table: string, columns: readonly string[]): AsyncIterable<Buffer>
}

export interface Pool extends Db {
  /** Asks for the database's time, as each new connection does, unless that was done a short time ago. Call it before leases are renewed. */
  measureTime(): Promise<void>
  /** Returns the function that unsubscribes. A subscriber must not throw: the committed transaction would fail. */
  subscribe(subscriber: (notification: Notification) => void): () => void
  /** Runs `work` on one connection without a transaction, and closes the connection: its settings end with it. */
  session<T>(work: (db: Session) => Promise<T>): Promise<T>
  /** Runs work that only reads, and rejects it within five seconds when the database stops answering. */
  whileResponsive<T>(read: () => Promise<T>): Promise<T>
  /** The nodes of a sharded database, and whether they answer. They are asked on new connections, and have a second and a half. */
  listNodes(): Promise<Node[]>
  /**
   * From now on, statements for tenants whose node doesn't answer fail soon, as do writes to tables that each node has,
   * and don't keep their connections from others. `tenants` selects the `workspace_id` of all tenants.
   */
  refuseSilentNodes(tables: { tenants: Sql; reference_tables: readonly string[] }): void
  /** How many connections are in use and idle, and how many callers wait for one. */
  connections(): { in_use: number; idle: number; waiting: number }
  /** Calls `observe` with how long each caller has waited for a connection. It must not throw. */
  observeWaits(observe: (wait_ms: number) => void): void
  close(): Promise<void>
}

export interface PoolOptions {
  /** A function is called for each new connection, for a database that can move. */
  url: string | (() => string)
  size: number
  /** Shown in `pg_stat_activity`. */
  application_name?: string
  onError: (error: Error) => void
}

const statement_timeout_ms = 30_000
/** Includes the wait for a connection that other requests use. */
const connect_timeout_ms = 3_000
/** Longer than the server's own limit: a connection that takes longer is dead, and closed. */
const query_timeout_ms = statement_timeout_ms + 5_000
/** The connection that asks whether the database still answers has this timeout. */
const ask_timeout_ms = 10_000
const script_timeout_ms = 24 * 60 * 60 * 1000
const named_statements_max = 1_000
const ask_first = `select date_trunc('milliseconds', clock_timestamp()) as now, ${is_sharded_sql} as is_sharded`

export function openPool({ url, size, application_name, onError }: PoolOptions): Pool {
  const currentUrl = typeof url === 'function' ? url : () => url
  class Client extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super({ ...config, connectionString: currentUrl() })
    }
  }
  const pool = new MeasuredPool({
    Client,
    max: size,
    pipeline: true,
    types: { getTypeParser },
    connectionTimeoutMillis: connect_timeout_ms,
    idleTimeoutMillis: 0,
    statement_timeout: statement_timeout_ms,
    lock_timeout: lock_timeout_ms,
    query_timeout: query_timeout_ms,
    keepAlive: true,
    // A statement uses one processor, so that the others stay free for other workspaces.
    options: `-c timezone=UTC -c max_parallel_workers_per_gather=0 ${connection_options}`,
    ...(application_name !== undefined && { application_name }),
  })
  // A client in use reports a lost connection by its failing query. Without a listener the event would end the process.
  pool.on('connect', (client) => {
    client.on('error', () => {})
    // The statements that follow on the connection report its errors.
    measureTime(client).catch(() => {})
  })
  /** Opens a connection outside of the pool, whose own may all be in use. */
  const onNewConnection: OnNewConnection = async (run, timeout_ms = ask_timeout_ms) => {
    const limits = { connectionTimeoutMillis: ask_timeout_ms, query_timeout: timeout_ms }
    const client = new Client({ ...limits, application_name })
    client.on('error', () => {})
    try {
      await client.connect()
      return await run(client)
    } finally {
      // A frozen database may leave the connection open for a while, and nothing waits for its end.
      client.end().catch(() => {})
    }
  }

  const cluster = new Cluster(pool, onNewConnection)
  const database_time = openDatabaseTime()
  const measureTime = (on: pg.Pool | pg.PoolClient): Promise<void> =>
    database_time.measure(async () => {
      const { rows } = await on.query<{ now: string; is_sharded: boolean }>(ask_first)
      if (rows[0]) cluster.is_sharded = rows[0].is_sharded
      return rows[0]?.now ?? ''
    })
  let is_closing = false
  // While the pool closes, a connection may still report that the server is stopping.
  pool.on('error', (error) => is_closing || onError(error))
  const { publish, subscribe } = openNotifications()
  const statement_names = new Map<string, string>()

  async function send<Row>(
    to: pg.Pool | pg.PoolClient,
    { text, values }: Sql,
  ): Promise<pg.QueryResult<Row & pg.QueryResultRow>> {
    let name = statement_names.get(text)
    if (name === undefined && statement_names.size < named_statements_max) {
      name = `s${statement_names.size + 1}`
      statement_names.set(text, name)
    }
    const query = { ...(name && { name }), text, values: [...values] }
    return traceStatement(text, cluster.send<Row>(to, query))
  }

  /** `onError` gets the error of each failing statement. */
  function openDb(
    to: pg.Pool | pg.PoolClient,
    tx: Db['tx'],
    notify: Db['notify'],
    afterCommit: Db['afterCommit'],
    onError: (error: unknown) => void = () => {},
  ): Db {
    const watched = <T>(sent: Promise<T>): Promise<T> =>
      sent.catch((error: unknown) => {
        onError(error)
        throw error
      })
    const many = async <Row>(statement: Sql): Promise<Row[]> => (await watched(send<Row>(to, statement))).rows
    return {
      many,
      tx,
      notify,
      afterCommit,
      time: database_time.now,
      isSharded: () => cluster.is_sharded,
      copy: (table, columns, lines) => {
        const text = `copy ${table} (${columns.join(', ')}) from stdin`
        const copied = new Promise<void>((resolve, reject) => {
          to.query(new CopyQuery(text, lines, (error) => (error ? reject(error) : resolve())))
        })
        return watched(traceStatement(text, copied))
      },
      script: async (text) => {
        // The driver reads `query_timeout` of a query, but its types don't have it.
        await watched(to.query(Object.assign({ text }, { query_timeout: script_timeout_ms })))
      },
      run: async (statement) => (await watched(send(to, statement))).rowCount ?? 0,
      async maybe<Row>(statement: Sql) {
        const rows = await many<Row>(statement)
        if (rows.length > 1) throw new Error(`expected at most one row, got ${rows.length}: ${statement.text}`)
        return rows[0]
      },
      async one<Row>(statement: Sql) {
        const [row, second] = await many<Row>(statement)
        if (row === undefined || second !== undefined) throw new Error(`expected one row: ${statement.text}`)
        return row
      },
    }
  }

  const tx: Db['tx'] = (work, options = {}) =>
    runTransaction(
      pool,
      (client, { notify, afterCommit, onStatementError }) =>
        untilEnd(openDb(client, rejectNested, notify, afterCommit, onStatementError), work),
      publish,
      options,
    )

  /** Asks whether the database answers. An error of the database is an answer too. */
  async function ask(): Promise<void> {
    try {
      await onNewConnection((client) => client.query('select 1'))
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) throw error
    }
  }

  return {
    ...openDb(pool, tx, publish, runNow),
    subscribe,
    measureTime: async () => {
      if (!database_time.isRecent()) await measureTime(pool)
    },
    whileResponsive: openResponsiveReads(ask),
    listNodes: () => cluster.listNodes(),
    refuseSilentNodes: (tables) => cluster.refuseSilentNodes(tables),
    copy: (table, columns, lines) => tx((db) => db.copy(table, columns, lines)),
    session: async (work) => {
      const client = await pool.connect()
      try {
        return await work({
          ...openDb(client, rejectNested, publish, runNow),
          copyOut: (table, columns) => copyOut(client, table, columns),
        })
      } finally {
        client.release(true)
      }
    },
    connections: () => ({
      in_use: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      // A caller for whom a connection is idle gets it in a moment, and doesn't count.
      waiting: Math.max(0, pool.waitingCount - pool.idleCount),
    }),
    observeWaits: (observe) => {
      pool.observe = observe
    },
    close: () => {
      is_closing = true
      cluster.stop()
      return pool.end()
    },
  }
}

/**
 * Runs `work` with a `db` that refuses statements once `work` has ended. When one of several verbs in `Promise.all` fails, the
 * others are still running: what they would send after the rollback is in no transaction, or in one of somebody else.
 */
export async function untilEnd<T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> {
  let is_ended = false
  const send = async <R>(statement: () => Promise<R>): Promise<R> => {
    if (is_ended) throw new Error('the transaction has ended: nothing can be sent in it')
    return statement()
  }
  const open: Db = {
    ...db,
    many: (statement) => send(() => db.many(statement)),
    maybe: (statement) => send(() => db.maybe(statement)),
    one: (statement) => send(() => db.one(statement)),
    run: (statement) => send(() => db.run(statement)),
    copy: (table, columns, lines) => send(() => db.copy(table, columns, lines)),
    script: (text) => send(() => db.script(text)),
  }
  try {
    return await work(open)
  } finally {
    is_ended = true
  }
}

/** Reports how long callers wait for a connection, for transactions and for single statements. */
class MeasuredPool extends pg.Pool {
  observe: ((wait_ms: number) => void) | undefined

  override connect(): Promise<pg.PoolClient>
  override connect(callback: ConnectCallback): void
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | undefined {
    const { observe } = this
    // Most callers get an idle connection at once.
    if (!observe || this.idleCount > this.waitingCount) {
      observe?.(0)
      if (!callback) return super.connect()
      super.connect(callback)
      return undefined
    }
    const began_ticks = clock.ticks()
    if (!callback) return super.connect().finally(() => observe(clock.ticks() - began_ticks))
    super.connect((error, client, done) => {
      observe(clock.ticks() - began_ticks)
      callback(error, client, done)
    })
    return undefined
  }
}

type ConnectCallback = Parameters<pg.Pool['connect']>[0]

const runNow = (work: () => void): void => work()

const rejectNested: Db['tx'] = () => {
  throw new Error('a transaction is already open: use its db')
}
