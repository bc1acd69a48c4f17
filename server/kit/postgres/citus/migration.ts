import type { Db } from '../pool.ts'
import { changeOneShardAtATime } from './settings.ts'
import { classOf, countShards, distribute, listMisplaced, listTables, type TableClasses } from './sharding.ts'

/** How a migration puts its new tables on the nodes of a sharded database. */
export interface Distribution {
  classes: TableClasses
  shards: number
  /** The tables that were there before the migration. Some may belong to others. */
  before: ReadonlySet<string>
}

/** The table that a statement creates, after comments. */
const create_table_name = /^(?:\s|--.*\n)*create table (?:if not exists )?(\w+)/i

/** Call it in the transaction of a migration, before its first statement. Undefined unless the database is sharded. */
export async function readDistribution(db: Db, classes: TableClasses | undefined): Promise<Distribution | undefined> {
  const shards = await countShards(db)
  if (shards === 0) return undefined
  if (!classes) throw new Error('the database is sharded: the classes of its tables are needed')
  await changeOneShardAtATime(db)
  const tables = await listTables(db, classes)
  return { classes, shards, before: new Set(tables.map(({ name }) => name)) }
}

/**
 * Runs a migration's statements, and distributes each new table before the next statement. Citus must not see the table
 * before that: it refuses a key from a table that is not sharded to one that is.
 */
export async function runDistributed(db: Db, statements: string[], distribution: Distribution): Promise<void> {
  for (const statement of statements) {
    const [, created] = create_table_name.exec(statement) ?? []
    const must_distribute = created !== undefined && classOf(distribution.classes, created) !== 'local'
    if (must_distribute) await db.script('set local citus.enable_ddl_propagation = off')
    await db.script(statement)
    if (must_distribute) await distributeNew(db, distribution)
  }
}

export async function distributeNew(db: Db, { classes, shards, before }: Distribution): Promise<void> {
  const tables = (await listMisplaced(db, classes)).filter(({ name }) => !before.has(name))
  await distribute(db, classes, { tables, shards })
}
