import { SetupError } from '../../server/kit/postgres/embedded/embedded.ts'
import { closeDatabase, databaseOf, findWorkers, onEveryNode, withDatabaseName, withPool } from './cluster.ts'
import { addClusterDatabase } from './database.ts'
import { command } from './process.ts'

export interface DurableDatabase {
  /** On the coordinator. */
  url: string
  /** The same database on each worker. */
  workers: string[]
}

/** Creates an empty database on every node that waits for the disk, unlike those of tests. It is dropped with the stack. */
export async function addDurableDatabase(stack: AsyncDisposableStack, coordinator: string): Promise<DurableDatabase> {
  await findWorkers(coordinator)
  const { url, drop } = await addClusterDatabase('durable', coordinator)
  stack.defer(async () => {
    // Processes of Citus come back after `drop database ... with (force)` has ended them.
    await closeDatabase(url)
    await drop()
  })
  const [, ...workers] = onEveryNode(url)
  for (const node of [url, ...workers])
    await withPool(withDatabaseName(node, 'postgres'), (pool) =>
      pool.script(`alter database ${databaseOf(url)} reset synchronous_commit`),
    )
  return { url, workers }
}

/** Migrates the database, and shards it by workspace. */
export async function shard(url: string, shards: number): Promise<void> {
  await runOn(url, ['migrate'])
  await runOn(url, ['shard', '--yes', '--shards', String(shards)])
}

/** Runs a command of Parley on this database, in this process. */
export async function runOn(url: string, words: string[]): Promise<void> {
  const { code, stderr } = await command(words, { DATABASE_URL: url }).ended
  if (code !== 0) throw new SetupError(`parley ${words.join(' ')}: ${stderr}`)
}
