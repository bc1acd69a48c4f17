import type { Db } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { waitUntil } from '../faults/client.ts'
import { isCluster } from './cluster.ts'

/** A backend that waits for a lock of another one, by their process ids. */
export interface LockWait {
  waiting: number
  blocking: number
}

/** The backends of this database that wait for a lock, each with one that holds it. */
export function listLockWaits(db: Db): Promise<LockWait[]> {
  const here = sql`select pid as waiting, unnest(pg_blocking_pids(pid)) as blocking
    from pg_stat_activity where datname = current_database()`
  // A statement of the coordinator may wait on a worker.
  const on_workers = sql`select citus_pid_for_gpid(waiting_gpid), citus_pid_for_gpid(blocking_gpid) from citus_lock_waits`
  return db.many(isCluster() ? sql`${here} union ${on_workers}` : here)
}

/** Waits until this many backends wait for this one, and returns them. */
export async function waitingFor(db: Db, pid: number, count = 1): Promise<number[]> {
  let waiting: number[] = []
  await waitUntil(`${count} wait for a lock`, async () => {
    waiting = (await listLockWaits(db)).flatMap((wait) => (wait.blocking === pid ? wait.waiting : []))
    return waiting.length >= count
  })
  return waiting
}
