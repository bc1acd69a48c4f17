import { SetupError } from '../embedded/setup-error.ts'
import { listMissing, lockMigrations } from '../migrate.ts'
import type { Db, Pool } from '../pool.ts'
import { sql } from '../sql.ts'
import { checkNodes, findClusterFaults, type NodeReport } from './checks.ts'
import { changeOneShardAtATime } from './settings.ts'
import { countShards, distribute, listTables, type Table, type TableClasses } from './sharding.ts'

/** Measured with empty tables, each with its indexes, on two cores. */
const ms_per_shard_table = 9
/** Measured with rows of a few hundred bytes, on two cores. */
const rows_per_second = 20_000

export interface ShardSettings {
  classes: TableClasses
  /** The service's tables. The database may also have those of others. */
  own: ReadonlySet<string>
  /** The number of shards of each sharded table. */
  shards: number
  /** The migrations that must be applied. */
  migrations: readonly string[]
  /** The service connects under this name. It must be stopped. */
  application_name: string
}

export interface ShardPlan extends NodeReport {
  shards: number
  /** The tables that are to be distributed. Empty when all are distributed. */
  tables: Table[]
  rows: number
  seconds: number
}

/** Returns what `shardTables` would do. Changes nothing. */
export async function planShards(db: Db, settings: ShardSettings): Promise<ShardPlan> {
  const { classes, own, migrations, application_name } = settings
  const faults = await findClusterFaults(db)
  if (faults.length > 0) return { faults, warnings: [], shards: settings.shards, tables: [], rows: 0, seconds: 0 }
  const misplaced = (await listTables(db, classes)).filter(({ name, is_in_place }) => own.has(name) && !is_in_place)
  const tables = misplaced.filter((table) => table.class !== 'local')
  const shards = (await countShards(db)) || settings.shards
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  const missing = await listMissing(db, [...migrations])
  const service_faults = await findService(db, application_name)
  const nodes = tables.length > 0 ? await checkNodes(db, { tables, shards }) : { faults: [], warnings: [] }
  return {
    faults: [
      ...misplaced.flatMap((table) =>
        table.class === 'local' ? `The table ${table.name} is distributed, and must be on the coordinator only.` : [],
      ),
      ...(missing.length > 0 ? ['The schema is not current: run the migrations first.'] : []),
      ...service_faults,
      ...nodes.faults,
    ],
    warnings: nodes.warnings,
    shards,
    tables,
    rows,
    seconds: Math.ceil((tables.length * shards * ms_per_shard_table) / 1_000 + rows / rows_per_second),
  }
}

/** Distributes all tables in one transaction. Fails, and changes nothing, unless the plan is still without faults. */
export async function shardTables(
  pool: Pool,
  settings: ShardSettings,
  onTable: (table: Table) => void,
): Promise<ShardPlan> {
  return pool.tx(async (db) => {
    await changeOneShardAtATime(db)
    await lockMigrations(db)
    const { faults, tables, shards, ...rest } = await planShards(db, settings)
    if (faults.length > 0) throw new SetupError(faults.join(' '))
    await distribute(db, settings.classes, { tables, shards, onTable })
    // This setting makes `set local lock_timeout` reach the nodes.
    const { database } = await db.one<{ database: string }>(sql`select quote_ident(current_database()) as database`)
    await db.script(`alter database ${database} set citus.propagate_set_commands = 'local'`)
    // A service that has started meanwhile would take the database for one that isn't sharded. Without this, PostgreSQL
    // shows the connections as the transaction first saw them.
    await db.many(sql`select pg_stat_clear_snapshot()`)
    const started = await findService(db, settings.application_name)
    if (started.length > 0) throw new SetupError(started.join(' '))
    return { faults, tables, shards, ...rest }
  })
}

async function findService(db: Db, application_name: string): Promise<string[]> {
  const { connections } = await db.one<{ connections: number }>(
    sql`select count(*)::int as connections from pg_stat_activity
      where datname = current_database() and application_name = ${application_name}`,
  )
  return connections > 0
    ? [`The service is running: stop it first. Its connections to the database: ${connections}.`]
    : []
}
