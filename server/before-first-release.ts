import { listUnknown, MigrationError } from './kit/postgres/migrate.ts'
import type { Db } from './kit/postgres/pool.ts'

/** The migrations from before the first release, which 0001_init.sql has replaced. */
const first_migration = '0001_contract.sql'
const last_migration = '0066_opt_out_question_indexes.sql'
/** It has all of these migrations, and does what a backup needs in the background. */
const last_commit = '892232ba'
const sha256 = '2028108d69db287683a2a911a1704ad646aa77e1dc00eb5bb01adaae8b2561b1'

/** Their tables that are gone. In a backup they must be empty: a row says that something is yet to be counted. */
export const removed_tables: readonly string[] = ['analytics_fills']

/** Whether a backup has the tables of 0001_init.sql, and those that are gone. */
export const isBackupFromBefore = (backup: { migrations: { sha256: string } }): boolean =>
  backup.migrations.sha256 === sha256

/** Refuses a database that the former migrations have made. `name` is that of the database. */
export async function refuseFromBefore(
  db: Db,
  { name, migrations }: { name: string; migrations: string },
): Promise<void> {
  const unknown = await listUnknown(db, migrations)
  if (!unknown.includes(first_migration)) return
  const last = unknown.at(-1)
  const commit =
    last === last_migration
      ? 'the commit that you ran until now'
      : `the commit ${last_commit}, because the one before ended at ${last}`
  throw new MigrationError(
    `${name} is from before the first release: let ${commit} run for an hour, and run parley secrets reseal and parley backup FILE ` +
      'with it, then parley restore FILE with this version, into an empty DATA_DIR or another database',
  )
}
