import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { refuseFromBefore } from './before-first-release.ts'
import type { Config } from './config.ts'
import type { Log } from './kit/log.ts'
import { hasCluster, openEmbedded, SetupError } from './kit/postgres/embedded/embedded.ts'
import { isMigrated, listCreated, listUnknown, MigrationError, migrate } from './kit/postgres/migrate.ts'
import { openPool, type Pool } from './kit/postgres/pool.ts'
import { sql } from './kit/postgres/sql.ts'
import { hasRows, listTables } from './kit/postgres/tables.ts'
import { errorMessage } from './kit/problem.ts'
import { product } from './product.ts'
import { table_classes } from './table-classes.ts'

export const migrations = path.resolve(import.meta.dirname, '../migrations')

const server_version_min = 15
/**
 * The limit is short because a stop must take at most ten seconds together with requests in flight and PostgreSQL's own
 * stop.
 */
const disconnect_ms = 1_000

export interface Database {
  pool: Pool
  /** The database and its location, without a password, for messages. */
  name: string
  /** The migrations that were applied by opening it. */
  applied: string[]
  close: () => Promise<void>
}

export interface DatabaseOptions {
  /** With the embedded PostgreSQL: whether to own it, to share it if it runs, or only to share it. */
  as: 'serve' | 'command' | 'share'
  /**
   * False refuses a missing or empty database, because then DATA_DIR or DATABASE_URL most likely differ from the
   * server's.
   */
  may_create: boolean
  /** True leaves the database as it is. */
  is_read_only?: boolean
  /** True refuses a database with rows, or with tables of others, before it is migrated. */
  must_be_empty?: boolean
  /** The name of these connections in `pg_stat_activity`. */
  application_name?: string
  /** Prints a line for the user. */
  say: (line: string) => void
  log: Log
}

/** Opens the embedded database, or the one that DATABASE_URL names, and applies new migrations. */
export async function openDatabase(config: Config, options: DatabaseOptions): Promise<Database> {
  const { checkout, data_dir, database_url } = config
  const { as, may_create, is_read_only = false, must_be_empty = false, say, log } = options
  const { application_name = product.short_name } = options
  const or_create = 'or create one with parley serve or parley migrate'
  if (!database_url && !may_create && !hasCluster(data_dir)) {
    throw new SetupError(
      `there is no database in ${data_dir}: set DATA_DIR to the data folder of your server, ${or_create}`,
    )
  }
  const warn = (line: string) => log.warn(line)
  const embedded = database_url
    ? undefined
    : await openEmbedded({ checkout, name: product.short_name, data_dir, as, say, warn })
  const pool = openPool({
    url: () => database_url ?? embedded?.url ?? '',
    size: config.database_pool_size,
    application_name,
    onError: ({ message }) => log.warn({ reason: message }, 'lost a connection'),
  })
  const close = async () => {
    // A statement that is still waiting must not delay the stop, and this timer must not delay the end of a command.
    await Promise.race([pool.close(), sleep(disconnect_ms, undefined, { ref: false })])
    await embedded?.close()
  }
  try {
    const database = await checkVersion(pool)
    const name = nameOf(config, database)
    if (await isMigrated(pool)) await refuseFromBefore(pool, { name, migrations })
    else if (!may_create) throw new SetupError(`${name} is empty: use another, ${or_create}`)
    if (is_read_only) return { pool, name, applied: [], close }
    if (must_be_empty && !(await isEmpty(pool))) throw new SetupError(`${name} is not empty: use another`)
    const applied = await migrate(pool, migrations, table_classes)
    if (applied.length > 0) log.info({ applied }, 'migrated the database')
    const newer = await listUnknown(pool, migrations)
    if (newer.length > 0) log.warn({ newer }, 'a newer version has migrated the database')
    return { pool, name, applied, close }
  } catch (error) {
    await close()
    throw database_url && !(error instanceof MigrationError)
      ? new SetupError(`DATABASE_URL can't be used: ${errorMessage(error)}`)
      : error
  }
}

/** The database and its location, without a password. */
export const nameOf = ({ database_url, data_dir }: Config, database: string): string =>
  database_url ? `the database ${database} at ${hostOfUrl(database_url)}` : `the database in ${data_dir}`

async function isEmpty(pool: Pool): Promise<boolean> {
  const tables = await listTables(pool)
  if (!(await isMigrated(pool))) return tables.length === 0
  const own = listCreated(migrations)
  for (const { name } of tables)
    if (name !== 'schema_migrations' && (!own.has(name) || (await hasRows(pool, name)))) return false
  return true
}

const hostOfUrl = (database_url: string): string => {
  const { host, searchParams } = new URL(database_url)
  return host || searchParams.get('host') || 'localhost'
}

/** Fails if PostgreSQL is too old. Returns the name of the database. */
async function checkVersion(pool: Pool): Promise<string> {
  const { version, database } = await pool.one<{ version: string; database: string }>(
    sql`select current_setting('server_version') as version, current_database() as database`,
  )
  if (Number.parseInt(version, 10) >= server_version_min) return database
  throw new SetupError(`PostgreSQL ${server_version_min} or newer is required, but the server has ${version}`)
}
