import type { Db, Pool } from './pool.ts'
import { quoteName, raw, sql } from './sql.ts'

/** A table of the current schema. Use its names with `quoteName`. */
export interface Table {
  name: string
  /** The columns that are stored, without generated ones. */
  columns: string[]
}

interface TableWithParents extends Table {
  /** The other tables that its foreign keys refer to. */
  parents: string[]
}

/** All tables, each after those that its foreign keys refer to. */
export async function listTables(db: Db): Promise<Table[]> {
  const tables = await db.many<TableWithParents>(
    sql`select relname::text as name,
        array(select attname::text from pg_attribute
          where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns,
        array(select parent.relname::text from pg_constraint join pg_class as parent on parent.oid = confrelid
          where contype = 'f' and conrelid = pg_class.oid and confrelid <> conrelid) as parents
      from pg_class
      where relnamespace = (select oid from pg_namespace where nspname = current_schema())
        and relkind in ('r', 'p') and not relispartition
        and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
      order by relname`,
  )
  return parentsFirst(tables)
}

function parentsFirst(tables: TableWithParents[]): Table[] {
  const sorted = new Map<string, Table>()
  while (sorted.size < tables.length) {
    const next = tables.filter(
      ({ name, parents }) => !sorted.has(name) && parents.every((parent) => sorted.has(parent)),
    )
    if (next.length === 0) throw new Error('foreign keys of tables form a circle')
    for (const { name, columns } of next) sorted.set(name, { name, columns })
  }
  return [...sorted.values()]
}

/** Analyzes the tables, because plans of statements are bad until PostgreSQL knows new rows. */
export const analyzeTables = (pool: Pool, tables: string[]): Promise<void> =>
  pool.session(async (db) => {
    await db.script('set statement_timeout = 0')
    // Citus can't analyze several tables at once.
    for (const name of tables) await db.script(`analyze ${quoteName(name)}`)
  })

export async function hasRows(db: Db, table: string): Promise<boolean> {
  const { has_rows } = await db.one<{ has_rows: boolean }>(
    sql`select exists (select 1 from ${raw(quoteName(table))}) as has_rows`,
  )
  return has_rows
}

export async function countRows(db: Db, table: string): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`select count(*)::float8 as count from ${raw(quoteName(table))}`)
  return count
}
