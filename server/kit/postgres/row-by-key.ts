import { raw, type Sql, sql } from './sql.ts'

/**
 * Selects the row with this key by the index on `workspace_id` and `column`, for a lateral join.
 *
 * PostgreSQL assumes that a workspace it has no statistics of is empty. Every index that begins with `workspace_id` then looks equally cheap, and by a
 * wrong one the whole workspace is read for each row. Only the right one returns rows in the order asked for. It is a range because `=` would make the
 * order meaningless.
 */
export const rowByKey = (table: string, workspace: string, column: string, key: Sql): Sql =>
  sql`select * from ${raw(table)} where workspace_id = ${workspace} and ${raw(column)} between ${key} and ${key}
    order by ${raw(column)} limit 1`
