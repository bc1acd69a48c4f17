import type { Db } from '../pool.ts'
import { sql } from '../sql.ts'
import { hasCitus } from './nodes.ts'

/** Which tables Citus distributes, and how. */
export interface TableClasses {
  /** The column by whose value rows are put on a node. Rows with the same value are on the same node. */
  shard_column: string
  /** Tables that are copied whole to every node. */
  reference: readonly string[]
  /** Tables that are on the coordinator only. */
  local: readonly string[]
}

export type TableClass = 'sharded' | 'reference' | 'local'

export interface Table {
  name: string
  class: TableClass
  /** False for a table that is yet to be distributed, by its class. */
  is_in_place: boolean
  /** The number of rows, as the planner estimates it. */
  rows: number
}

/**
 * Foreign keys are dropped while tables are distributed: Citus refuses a key between a table that is distributed and
 * one that isn't yet.
 */
interface ForeignKey {
  table: string
  name: string
  definition: string
}

export const classOf = ({ reference, local }: TableClasses, table: string): TableClass => {
  if (reference.includes(table)) return 'reference'
  return local.includes(table) ? 'local' : 'sharded'
}

/** The number of shards of each sharded table. 0 when the database is not sharded, or only tables of others are. */
export async function countShards(db: Db): Promise<number> {
  if (!(await hasCitus(db))) return 0
  const { shards } = await db.one<{ shards: number }>(
    sql`select coalesce(max(shardcount), 0) as shards from pg_dist_colocation
      where colocationid in (select colocationid from pg_dist_partition where logicalrelid = to_regclass('tenants'))`,
  )
  return shards
}

/** Lists the database's own tables, and not the shards on this node. Works only with Citus. */
export async function listTables(db: Db, classes: TableClasses): Promise<Table[]> {
  const found = await db.many<{ name: string; distributed_as: TableClass; rows: number }>(
    sql`select relname as name,
        case when partmethod = 'h' then 'sharded' when repmodel = 't' then 'reference' else 'local' end as distributed_as,
        case when reltuples >= 0 and relpages > 0
          then round(reltuples / relpages * pg_relation_size(pg_class.oid) / current_setting('block_size')::int)
          else pg_relation_size(pg_class.oid) / 250 end::float8 as rows
      from pg_class left join pg_dist_partition on logicalrelid = pg_class.oid
      where relnamespace = 'public'::regnamespace and relkind = 'r' and not relation_is_a_known_shard(pg_class.oid)
      order by relname`,
  )
  return found.map(({ name, distributed_as, rows }) => {
    const table_class = classOf(classes, name)
    return { name, class: table_class, is_in_place: distributed_as === table_class, rows }
  })
}

/** The tables that are yet to be distributed. */
export const listMisplaced = async (db: Db, classes: TableClasses): Promise<Table[]> =>
  (await listTables(db, classes)).filter((table) => table.class !== 'local' && !table.is_in_place)

/**
 * Distributes tables by their class, with all their rows and keys. Runs in a transaction. Fails if the number of rows has changed.
 */
export async function distribute(
  db: Db,
  classes: TableClasses,
  { tables, shards, onTable }: { tables: readonly Table[]; shards: number; onTable?: (table: Table) => void },
): Promise<void> {
  const keys = await listKeys(
    db,
    tables.map(({ name }) => name),
  )
  for (const { table, name } of keys) await db.script(`alter table ${table} drop constraint ${name}`)
  await db.script('set local citus.enable_ddl_propagation = on')
  let colocated_with = await findSharded(db)
  for (const table of [...tables].sort(referencesFirst)) {
    onTable?.(table)
    await countInto(db, table.name)
    if (table.class === 'reference') await db.script(`select create_reference_table('${table.name}')`)
    else {
      const where = colocated_with
        ? `colocate_with := '${colocated_with}'`
        : `colocate_with := 'none', shard_count := ${shards}`
      await db.script(`select create_distributed_table('${table.name}', '${classes.shard_column}', ${where})`)
      colocated_with ??= table.name
    }
    await checkCount(db, table.name)
    // Otherwise the rows from before would stay on the coordinator, also those that are deleted later.
    await db.script(`select truncate_local_data_after_distributing_table('${table.name}')`)
  }
  for (const { table, name, definition } of keys) {
    await db.script(`alter table ${table} add constraint ${name} ${definition}`)
  }
}

const referencesFirst = (left: Table, right: Table): number =>
  Number(right.class === 'reference') - Number(left.class === 'reference')

/** The foreign keys from and to these tables. */
const listKeys = (db: Db, tables: readonly string[]): Promise<ForeignKey[]> =>
  db.many<ForeignKey>(
    sql`select owner.relname as table, conname as name, pg_get_constraintdef(pg_constraint.oid) as definition
      from pg_constraint
      join pg_class as owner on owner.oid = conrelid
      join pg_class as other on other.oid = confrelid
      where contype = 'f' and owner.relnamespace = 'public'::regnamespace
        and not relation_is_a_known_shard(conrelid)
        and (owner.relname = any(${tables}::text[]) or other.relname = any(${tables}::text[]))
      order by owner.relname, conname`,
  )

/** Finds a sharded table, so that the shards of other tables are put next to its own. */
async function findSharded(db: Db): Promise<string | undefined> {
  const found = await db.maybe<{ name: string }>(
    sql`select relname as name from pg_dist_partition join pg_class on pg_class.oid = logicalrelid
      where partmethod = 'h' order by relname = 'tenants' desc, relname limit 1`,
  )
  return found?.name
}

/* The rows are counted in a script on the server, because this may take longer than a query may. */

const countInto = (db: Db, table: string): Promise<void> =>
  db.script(`do $$ begin perform set_config('sharding.rows', (select count(*) from ${table})::text, true); end $$`)

const checkCount = (db: Db, table: string): Promise<void> =>
  db.script(`do $$ begin
    if (select count(*) from ${table}) <> current_setting('sharding.rows')::bigint then
      raise exception 'the number of rows of ${table} has changed: something writes to the database';
    end if;
  end $$`)
