import { SetupError } from '../../server/kit/postgres/embedded/embedded.ts'
import { openPool } from '../../server/kit/postgres/pool.ts'
import { addDurableDatabase, type DurableDatabase, shard } from '../../test/support/durable-cluster.ts'
import { type Database, openDatabaseAt } from '../database.ts'

export type Sharded = Database & DurableDatabase

/** A database that is sharded by workspace, and a plain one, both empty and dropped at the end of the run. */
export async function openBoth(
  stack: AsyncDisposableStack,
  shards: number,
): Promise<{ sharded: Sharded; plain: Database }> {
  const { TEST_CLUSTER_URL: coordinator, TEST_PLAIN_URL: plain_url } = process.env
  if (!coordinator || !plain_url)
    throw new SetupError('set TEST_CLUSTER_URL and TEST_PLAIN_URL (npm run bench -- --help)')
  // First, because the workers of a cluster are known to the whole process from then on.
  const plain = await openDatabaseAt(stack, plain_url)
  const created = await addDurableDatabase(stack, coordinator)
  await shard(created.url, shards)
  const pool = openPool({ url: created.url, size: 2, onError: console.error })
  stack.defer(() => pool.close())
  return { sharded: { ...created, pool }, plain }
}
