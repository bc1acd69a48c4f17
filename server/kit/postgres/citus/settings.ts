import type { Db } from '../pool.ts'

/** Lets a transaction change a reference table, and then several shards of other tables. A database without Citus ignores it. */
export const changeOneShardAtATime = (db: Db): Promise<void> =>
  db.script(`set local citus.multi_shard_modify_mode = 'sequential'`)

/**
 * Uses one connection to each node, because each connection has its own snapshot. A workspace is on one node, so its rows are those of one
 * moment. A database without Citus ignores it.
 */
export const readOneSnapshotOfEachNode = (db: Db): Promise<void> =>
  db.script('set local citus.max_adaptive_executor_pool_size = 1')
