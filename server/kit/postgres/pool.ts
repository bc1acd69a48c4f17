import pg from 'pg'
import { Problem } from '../problem.ts'
import type { Sql } from './sql.ts'

/** Where statements go: the pool, or one transaction. Every verb takes it first and calls it `db`. */
export interface Db {
  many<Row>(statement: Sql): Promise<Row[]>
  /** The one row, or undefined. */
  maybe<Row>(statement: Sql): Promise<Row | undefined>
  /** The one row that must be there. */
  one<Row>(statement: Sql): Promise<Row>
  /** How many rows it changed. */
  run(statement: Sql): Promise<number>
  /** Adds rows, written by `copyLine`, by COPY: the fastest way for many. */
  copy(table: string, columns: readonly string[], lines: string): Promise<void>
  /** Many statements in one text, as in a migration. */
  script(text: string): Promise<void>
  /** For who listens at the pool, in this process: told once it is committed. */
  tell(notice: Notice): void
  /** All or nothing, at READ COMMITTED unless it says otherwise. What a deadlock or a race for a unique value undid is done again. */
  tx<T>(work: (db: Db) => Promise<T>, options?: TxOptions): Promise<T>
}

export interface TxOptions {
  lock_timeout_ms?: number
  isolation?: 'read committed' | 'repeatable read'
}

/** What has happened in a workspace, for work that begins at once instead of when it is next looked for. */
export interface Notice {
  topic: string
  workspace: string
}

export interface Pool extends Db {
  /** Gives what ends it. The listener may not throw: the transaction whose commit it hears of would count as failed. */
  listen(listener: (notice: Notice) => void): () => void
  close(): Promise<void>
}

export interface PoolOptions {
  /** Asked at each new connection when it is a function: the database may have moved. */
  url: string | (() => string)
  size: number
  on_error: (error: Error) => void
}

const attempts_max = 3
const statement_timeout_ms = 30_000
const lock_timeout_ms = 2_000
/** For a connection of one's own, be it a new one or one that others use now. */
const connect_timeout_ms = 3_000
/** Later than the server's own limit: then the connection is silent, and given up. */
const silence_ms = statement_timeout_ms + 5_000
const script_timeout_ms = 24 * 60 * 60 * 1000
const named_statements_max = 1_000

export function openPool({ url, size, on_error }: PoolOptions): Pool {
  const urlNow = typeof url === 'function' ? url : () => url
  class Client extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super({ ...config, connectionString: urlNow() })
    }
  }
  const pool = new pg.Pool({
    Client,
    max: size,
    pipeline: true,
    types: { getTypeParser },
    connectionTimeoutMillis: connect_timeout_ms,
    idleTimeoutMillis: 0,
    statement_timeout: statement_timeout_ms,
    lock_timeout: lock_timeout_ms,
    query_timeout: silence_ms,
    keepAlive: true,
    // A statement takes one processor: the others are for other workspaces.
    options: '-c timezone=UTC -c max_parallel_workers_per_gather=0',
    application_name: 'parley',
  })
  // A client that is in use tells of a lost connection by the query that fails, and needs a listener all the same.
  pool.on('connect', (client) => client.on('error', () => {}))
  let is_closing = false
  // A connection may be told that the server stops while it is being closed: that is no news then.
  pool.on('error', (error) => is_closing || on_error(error))
  const names = new Map<string, string>()

  async function send<Row>(
    to: pg.Pool | pg.PoolClient,
    { text, values }: Sql,
  ): Promise<pg.QueryResult<Row & pg.QueryResultRow>> {
    let name = names.get(text)
    if (name === undefined && names.size < named_statements_max) {
      name = `s${names.size + 1}`
      names.set(text, name)
    }
    return to.query<Row & pg.QueryResultRow>({ ...(name && { name }), text, values: [...values] })
  }

  const listeners = new Set<(notice: Notice) => void>()
  const tell = (notice: Notice) => {
    for (const listener of listeners) listener(notice)
  }

  /** `on_error` sees what each statement fails with. */
  function handle(
    to: pg.Pool | pg.PoolClient,
    tx: Db['tx'],
    tell: Db['tell'],
    on_error: (error: unknown) => void = () => {},
  ): Db {
    const watched = <T>(sent: Promise<T>): Promise<T> =>
      sent.catch((error: unknown) => {
        on_error(error)
        throw error
      })
    const many = async <Row>(statement: Sql): Promise<Row[]> => (await watched(send<Row>(to, statement))).rows
    return {
      many,
      tx,
      tell,
      copy: (table, columns, lines) =>
        watched(
          new Promise<void>((resolve, reject) => {
            const text = `copy ${table} (${columns.join(', ')}) from stdin`
            to.query(new Copy(text, lines, (error) => (error ? reject(error) : resolve())))
          }),
        ),
      script: async (text) => {
        await watched(to.query(unhurried(text)))
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

  async function tx<T>(work: (db: Db) => Promise<T>, options: TxOptions = {}, attempt = 1): Promise<T> {
    const { isolation = 'read committed', lock_timeout_ms: lock_ms = lock_timeout_ms } = options
    const client = await pool.connect()
    let broken: Error | undefined
    /** Why the transaction can't go on: statements sent after it fail with nothing but that fact. */
    let cause: unknown
    const notices = new Map<string, Notice>()
    const noteNotice = (notice: Notice) => notices.set(`${notice.topic} ${notice.workspace}`, notice)
    const noteCause = (error: unknown) => {
      if (!isAftermath(error)) cause = error
    }
    try {
      // Awaited: if it failed, statements sent behind it would each commit on their own.
      await client.query(`begin isolation level ${isolation}; set local lock_timeout = ${lock_ms}`)
      const result = await work(handle(client, nested, noteNotice, noteCause))
      const { command } = await client.query('commit').catch((error: Error) => {
        throw new InDoubt('The connection was lost while committing', { cause: error })
      })
      if (command !== 'COMMIT') throw cause ?? new Error('the transaction was rolled back')
      for (const notice of notices.values()) tell(notice)
      return result
    } catch (thrown) {
      const error = isAftermath(thrown) ? (cause ?? thrown) : thrown
      // To one that is silent nothing more is said: it would only be waited for again.
      if (isSilence(error)) broken = Object(error)
      else
        await client.query('rollback').catch((lost: Error) => {
          broken = lost
        })
      if (attempt === attempts_max || !isWorthAnotherTry(error)) throw error
    } finally {
      client.release(broken)
    }
    return tx(work, options, attempt + 1)
  }

  return {
    ...handle(pool, (work, options) => tx(work, options), tell),
    listen: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    copy: (table, columns, lines) => tx((db) => db.copy(table, columns, lines)),
    close: () => {
      is_closing = true
      return pool.end()
    },
  }
}

/** The rows follow the statement at once, and are passed over should it fail: what is sent next needn't wait. */
class Copy extends pg.Query {
  readonly #lines: Buffer

  constructor(text: string, lines: string, callback: (error: Error | undefined) => void) {
    super(text, undefined, callback)
    // Here and not when it is sent: that may happen in a listener of the connection, where nobody would catch it.
    this.#lines = Buffer.from(lines)
  }

  override submit = (connection: pg.Connection): void => {
    pg.Query.prototype.submit.call(this, connection)
    // The driver has these, and its types don't know them.
    const wire = connection as pg.Connection & { sendCopyFromChunk(bytes: Buffer): void; endCopyFrom(): void }
    wire.sendCopyFromChunk(this.#lines)
    wire.endCopyFrom()
  }

  handleCopyInResponse(): void {}
}

/** The driver reads a limit of the query's own, which its types don't know. */
const unhurried = (text: string): pg.QueryConfig => Object.assign({ text }, { query_timeout: script_timeout_ms })

const nested: Db['tx'] = () => {
  throw new Error('a transaction is open already: pass its db on')
}

/** Nobody knows whether it was committed: it must not be done again by us. */
class InDoubt extends Error {}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

const serialization_failure = '40001'
const deadlock_detected = '40P01'
const unique_violation = '23505'
const in_failed_sql_transaction = '25P02'
const lock_not_available = '55P03'

/** Another statement of the transaction has failed before. */
const isAftermath = (error: unknown): boolean => codeOf(error) === in_failed_sql_transaction

const isWorthAnotherTry = (error: unknown): boolean =>
  [serialization_failure, deadlock_detected, unique_violation].includes(codeOf(error)) ||
  (error instanceof Problem && codeOf(error.cause) === unique_violation)

/** For a write that lost a race for a unique value: it is tried again, and refused so when it loses each time. */
export const whenTaken =
  (refusal: () => Problem) =>
  (error: unknown): never => {
    throw codeOf(error) === unique_violation ? Object.assign(refusal(), { cause: error }) : error
  }

export const isLockTimeout = (error: unknown): boolean => codeOf(error) === lock_not_available

/** Others were in the way, again and again: it may be that only one of a group is concerned. */
export const isContention = (error: unknown): boolean =>
  [serialization_failure, deadlock_detected, lock_not_available].includes(codeOf(error))

const isSilence = (error: unknown): boolean => error instanceof Error && /^Query read/.test(error.message)

/** The database is away, starting, stopping, full or too busy: the request was fine and may be repeated. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof Error &&
  (error instanceof InDoubt ||
    isContention(error) ||
    isSilence(error) ||
    /^(08|53|57P0)|^(57014|25006)$|^(ECONN\w+|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)$/.test(
      codeOf(error),
    ) ||
    /^Connection terminated|^timeout exceeded when|^Client (was closed|has encountered)|^Cannot use a pool/.test(
      error.message,
    ))

const timestamptz = pg.types.builtins.TIMESTAMPTZ
const int8 = pg.types.builtins.INT8
const text_array: number = 1009
const parseList: (text: string) => string[] = pg.types.getTypeParser(text_array)

/** Times come as the ISO text that clients get; counts as numbers. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === timestamptz) return isoOf
  if (oid === int8) return Number
  if (oid === text_array) return listOf
  return format === 'binary' ? pg.types.getTypeParser(oid, 'binary') : pg.types.getTypeParser(oid)
}

/** Most lists are empty or hold plain words, which stand there without quotes. */
function listOf(text: string): string[] {
  if (text === '{}') return []
  return /["\\]|NULL/.test(text) ? parseList(text) : text.slice(1, -1).split(',')
}

/** PostgreSQL writes "2026-11-15 02:14:27.1+00" in the time zone UTC, without the zeros at the end. */
function isoOf(text: string): string {
  const day = text.slice(0, 10)
  const time = text.slice(11, -3)
  if (time.length === 12) return `${day}T${time}Z`
  return `${day}T${time.length === 8 ? `${time}.` : time}${'0'.repeat(12 - Math.max(time.length, 9))}Z`
}
