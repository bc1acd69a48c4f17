import type { Pool } from '../../server/kit/postgres/pool.ts'
import { raw, sql } from '../../server/kit/postgres/sql.ts'
import type { Tenant } from './harness.ts'

/**
 * Returns the tables in which the text still is, in either case. In tables that belong to workspaces only the rows of
 * this one are searched, because other tests store what they like in theirs.
 */
export async function tablesWith(pool: Pool, { id }: Pick<Tenant, 'id'>, text: string): Promise<string[]> {
  const tables = await pool.many<{ name: string; is_shared: boolean }>(
    sql`select tables.table_name as name, columns.column_name is null as is_shared
      from information_schema.tables
      left join information_schema.columns
        on columns.table_schema = tables.table_schema and columns.table_name = tables.table_name
          and columns.column_name = 'workspace_id'
      where tables.table_schema = 'public' and tables.table_type = 'BASE TABLE' order by 1`,
  )
  const binary = await pool.many<{ table: string; column: string }>(
    sql`select table_name as table, column_name as column from information_schema.columns
      where table_schema = 'public' and data_type = 'bytea'`,
  )
  const found: string[] = []
  for (const { name, is_shared } of tables) {
    // A row as text has bytes in hexadecimal.
    const bytes = binary
      .filter(({ table }) => table === name)
      .map(({ column }) => `coalesce(encode(${column}, 'escape'), '')`)
    const texts = raw(['searched::text', ...bytes].join(` || ' ' || `))
    const [row] = await pool.many(
      sql`select 1 as found from ${raw(name)} as searched
        where ${is_shared ? sql`true` : sql`workspace_id = ${id}`}
          and position(${text.toLowerCase()} in lower(${texts})) > 0 limit 1`,
    )
    if (row) found.push(name)
  }
  return found
}
