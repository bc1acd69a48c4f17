import { raw, type Sql, sql } from './sql.ts'

/**
 * Selects the row with this key through the index on `workspace_id` and `column`, for a lateral join.
 *
 * PostgreSQL assumes that a workspace without statistics is empty. Every index that begins with `workspace_id` then looks
 * equally cheap, and the wrong one reads the whole workspace for each row. Ordering by the column rules out the others.
 * The condition is a range because the planner drops an order by a column that is compared with `=`.
 */
export const rowByKey = (table: string, workspace: string, column: string, key: Sql): Sql =>
  sql`select * from ${raw(table)} where workspace_id = ${workspace} and ${raw(column)} between ${key} and ${key}
    order by ${raw(column)} limit 1`
