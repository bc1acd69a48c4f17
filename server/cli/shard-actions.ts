import { ConfigError, readConfig } from '../config.ts'
import { migrations, openDatabase } from '../database.ts'
import * as clock from '../kit/clock.ts'
import { openLog } from '../kit/log.ts'
import { planShards, type ShardPlan, type ShardSettings, shardTables } from '../kit/postgres/citus/shard.ts'
import type { Table } from '../kit/postgres/citus/sharding.ts'
import { SetupError } from '../kit/postgres/embedded/embedded.ts'
import { listCreated, listNames } from '../kit/postgres/migrate.ts'
import { analyzeTables } from '../kit/postgres/tables.ts'
import { errorMessage } from '../kit/problem.ts'
import { counted } from '../kit/text.ts'
import { product } from '../product.ts'
import { consoleOf, type Shell } from '../start/shell.ts'
import { table_classes } from '../table-classes.ts'
import { confirm } from './prompt.ts'

export interface ShardOptions {
  shards: number
  dryRun?: boolean
  yes?: boolean
}

/** Checks the cluster, says what will be done, asks, and does it. */
export async function shard(
  shell: Shell,
  { shards, dryRun: is_dry_run, yes: is_confirmed, is_json }: ShardOptions & { is_json: boolean },
): Promise<void> {
  const config = readConfig(shell.env)
  if (!config.database_url) throw new ConfigError('DATABASE_URL is required: the embedded PostgreSQL has no Citus')
  const console = consoleOf(shell)
  const log = openLog(config.log_level === 'info' ? 'warn' : config.log_level)
  const application_name = `${product.short_name} shard`
  const database = await openDatabase(config, {
    as: 'command',
    may_create: false,
    is_read_only: true,
    application_name,
    say: console.error,
    log,
  })
  try {
    console.error(`Using ${database.name}`)
    const settings: ShardSettings = {
      classes: table_classes,
      own: listCreated(migrations),
      shards,
      migrations: listNames(migrations),
      application_name: product.short_name,
    }
    const plan = await planShards(database.pool, settings)
    if (plan.faults.length > 0) throw new SetupError(plan.faults.join(' '))
    for (const warning of plan.warnings) console.error(`Warning: ${warning}`)
    const must_shard = plan.tables.length > 0
    if (must_shard) console.error(describe(plan))
    if (must_shard && !is_dry_run) {
      if (!is_confirmed) await confirm(shell, 'Shard this database?')
      const { tables } = await shardTables(database.pool, settings, openProgress(plan, console.error))
      const names = tables.map(({ name }) => name)
      // A failure is only reported, because PostgreSQL analyzes by itself some time later.
      await analyzeTables(database.pool, names).catch((error: unknown) =>
        console.error(`analyze has failed: ${errorMessage(error)}`),
      )
    }
    const { shards: shard_count, rows, seconds } = plan
    const is_sharded = !must_shard || !is_dry_run
    const text = is_sharded
      ? `The database is sharded: ${counted(shard_count, 'shard', 'shards')}.`
      : 'Nothing was changed.'
    const data = { is_sharded, shards: shard_count, tables: plan.tables.length, rows, seconds_estimated: seconds }
    console.log(is_json ? JSON.stringify(data) : text)
  } finally {
    await database.close()
  }
}

function describe({ tables, shards, rows, seconds }: ShardPlan): string {
  const references = tables.filter((table) => table.class === 'reference').length
  return `
${tables.length - references} tables will be sharded by workspace, with ${counted(shards, 'shard', 'shards')} each; ${references} will be copied to every node.
This moves about ${formatRows(rows)} and takes about ${formatDuration(seconds)}. Until it ends, the disks need room for both copies.
Keep the service stopped until then. This can't be undone: the way back is a backup, restored into another database.
`
}

/** Prints a line for each table. */
function openProgress({ tables }: ShardPlan, print: (line: string) => void): (table: Table) => void {
  const started_ticks = clock.ticks()
  let done = 0
  return ({ name, rows }) => {
    done += 1
    const seconds = Math.round((clock.ticks() - started_ticks) / clock.second_ms)
    print(`${seconds} s: table ${done} of ${tables.length}, ${name}, about ${formatRows(rows)}`)
  }
}

/** Writes a number of rows, such as "1,200 rows". The number is an estimate, and may have decimals. */
const formatRows = (rows: number): string => counted(Math.round(rows), 'row', 'rows')

const formatDuration = (seconds: number): string =>
  seconds < 120 ? counted(seconds, 'second', 'seconds') : `${Math.ceil(seconds / 60)} minutes`
