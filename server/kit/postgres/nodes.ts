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
  if (!(await hasNodes(db))) return []
  return db.many<Node>(
    sql`select nodename || ':' || nodeport as name,
        isactive and coalesce(citus_check_connection_to_node(nodename, nodeport), false) as is_up
      from pg_dist_node where noderole = 'primary' order by groupid`,
  )
}

/** Which shards are on which node, as a text. It differs after a shard was moved or split. */
export async function listPlacements(db: Db): Promise<string> {
  if (!(await hasNodes(db))) return ''
  const { placements } = await db.one<{ placements: string | null }>(
    sql`select string_agg(shardid || ' ' || groupid, ', ' order by shardid, groupid) as placements from pg_dist_placement`,
  )
  return placements ?? ''
}

async function hasNodes(db: Db): Promise<boolean> {
  const { has_nodes } = await db.one<{ has_nodes: boolean }>(
    sql`select to_regclass('pg_dist_node') is not null as has_nodes`,
  )
  return has_nodes
}
