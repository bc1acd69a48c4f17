import type { Db } from '../pool.ts'
import { sql } from '../sql.ts'

/** Which shards are on which node, as a text. It differs after a shard was moved or split. Empty without the extension citus. */
export async function listPlacements(db: Db): Promise<string> {
  if (!(await hasCitus(db))) return ''
  const { placements } = await db.one<{ placements: string | null }>(
    sql`select string_agg(shardid || ' ' || groupid, ', ' order by shardid, groupid) as placements from pg_dist_placement`,
  )
  return placements ?? ''
}

/** Whether the extension is there, whose tables and functions this file and others use. */
export async function hasCitus(db: Db): Promise<boolean> {
  const { has_citus } = await db.one<{ has_citus: boolean }>(
    sql`select to_regclass('pg_dist_partition') is not null as has_citus`,
  )
  return has_citus
}
