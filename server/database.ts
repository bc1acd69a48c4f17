import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from './config.ts'
import type { Log } from './kit/log.ts'
import { hasCluster, openEmbedded, SetupError } from './kit/postgres/embedded/embedded.ts'
import { isMigrated, migrate } from './kit/postgres/migrate.ts'
import { openPool, type Pool } from './kit/postgres/pool.ts'
import { sql } from './kit/postgres/sql.ts'
import { product } from './product.ts'

export const migrations = path.resolve(import.meta.dirname, '../migrations')

const pool_size = 10
const server_version_min = 15
/** Together with the answers to what is in flight and PostgreSQL's own stop, at most ten seconds. */
const disconnect_ms = 1_000

export interface Database {
  pool: Pool
  /** Where it is, without a password: the end of a sentence. */
  name: string
  /** The migrations that were missing. */
  applied: string[]
  close: () => Promise<void>
}

/**
 * The database of the configuration, at the newest schema: the embedded one, or the one that DATABASE_URL names. Unless
 * `may_create`, one that isn't there is refused: most likely DATA_DIR or DATABASE_URL are not the server's.
 */
export async function openDatabase(
  config: Config,
  as: 'serve' | 'command',
  log: Log,
  may_create: boolean,
): Promise<Database> {
  const { checkout, data_dir, database_url } = config
  const own = 'or create one by parley serve or parley migrate'
  if (!database_url && !may_create && !hasCluster(data_dir)) {
    throw new SetupError(`there is no database in ${data_dir}: set DATA_DIR to the data folder of your server, ${own}`)
  }
  // Standard output belongs to what a command gives.
  const say = as === 'serve' ? console.log : console.error
  const warn = (line: string) => log.warn(line)
  const embedded = database_url
    ? undefined
    : await openEmbedded({ checkout, name: product.short_name, data_dir, as, say, warn })
  const pool = openPool({
    url: () => database_url ?? embedded?.url ?? '',
    size: pool_size,
    application_name: product.short_name,
    on_error: ({ message }) => log.warn({ reason: message }, 'lost a connection'),
  })
  const close = async () => {
    // A statement that still waits for something doesn't keep the rest from ending.
    await Promise.race([pool.close(), sleep(disconnect_ms)])
    await embedded?.close()
  }
  try {
    const database = await checkVersion(pool)
    const name = database_url ? `the database ${database} at ${hostOf(database_url)}` : `the database in ${data_dir}`
    if (!may_create && !(await isMigrated(pool))) throw new SetupError(`${name} is empty: choose another, ${own}`)
    const applied = await migrate(pool, migrations)
    if (applied.length > 0) log.info({ applied }, 'migrated the database')
    return { pool, name, applied, close }
  } catch (error) {
    await close()
    throw database_url ? new SetupError(`DATABASE_URL can't be used: ${Object(error).message}`) : error
  }
}

const hostOf = (database_url: string): string => {
  const { host, searchParams } = new URL(database_url)
  return host || searchParams.get('host') || 'localhost'
}

/** Gives the database's name. */
async function checkVersion(pool: Pool): Promise<string> {
  const { version, database } = await pool.one<{ version: string; database: string }>(
    sql`select current_setting('server_version') as version, current_database() as database`,
  )
  if (Number.parseInt(version, 10) >= server_version_min) return database
  throw new SetupError(`PostgreSQL ${server_version_min} or newer is needed, and this is ${version}`)
}
