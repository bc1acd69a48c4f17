import type { Db } from './pool.ts'
import { sql } from './sql.ts'

/** A server of a database that Citus shards. */
export interface Node {
  name: string
  /** Whether the coordinator reaches it. */
  is_up: boolean
}

/** Empty unless the database has the extension citus, whose tables and functions this uses. */
export async function listNodes(db: Db): Promise<Node[]> {
  const { is_sharded } = await db.one<{ is_sharded: boolean }>(
    sql`select to_regclass('pg_dist_node') is not null as is_sharded`,
  )
  if (!is_sharded) return []
  return db.many<Node>(
    sql`select nodename || ':' || nodeport as name,
        isactive and coalesce(citus_check_connection_to_node(nodename, nodeport), false) as is_up
      from pg_dist_node where noderole = 'primary' order by groupid`,
  )
}
