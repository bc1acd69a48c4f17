import { rowByKey } from './row-by-key.ts'
import { raw, type Sql, sql } from './sql.ts'

export interface IdRange {
  /** The id before the first one. */
  after: string
  limit: number
}

/**
 * Selects the next rows that match, in the order of their ids. The matches are found first: PostgreSQL would else go through all rows
 * of the workspace in this order, also when few match.
 */
export const pageById = (
  table: string,
  workspace: string,
  { columns, where, after, limit, join = raw('') }: IdRange & { columns: Sql; where: Sql; join?: Sql },
): Sql =>
  sql`with matching as materialized (
      select id from ${raw(table)} where workspace_id = ${workspace} and ${where} and id > ${after})
    select ${columns} from (select id as page_id from matching order by id limit ${limit}) as page
    cross join lateral (${rowByKey(table, workspace, 'id', raw('page_id'))}) as found ${join}
    order by id`
