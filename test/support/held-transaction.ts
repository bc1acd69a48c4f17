import assert from 'node:assert/strict'
import type { Db, Pool } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'
import { listLockWaits } from './lock-waits.ts'

export interface HeldTransaction extends AsyncDisposable {
  /** The process id of its PostgreSQL backend. */
  pid: number
  /** Resolves when a statement waits for this transaction, or when the request is answered without waiting. */
  waitUntilBlocking: (request: Promise<unknown>) => Promise<void>
  /** Commits the transaction, or rolls it back with this error. */
  end: (error?: Error) => Promise<void>
}

/** Runs `work` in a transaction and keeps it open until `end` is called. */
export async function holdTransaction(pool: Pool, work: (db: Db) => Promise<unknown>): Promise<HeldTransaction> {
  const started = Promise.withResolvers<number>()
  const released = Promise.withResolvers<void>()
  const ending = pool.tx(async (db) => {
    await work(db)
    started.resolve((await db.one<{ pid: number }>(sql`select pg_backend_pid() as pid`)).pid)
    await released.promise
  })
  ending.catch(started.reject)
  const pid = await started.promise
  return {
    pid,
    async waitUntilBlocking(request) {
      let is_answered = false
      const answered = () => {
        is_answered = true
      }
      request.then(answered, answered)
      const isBlocking = async () => (await listLockWaits(pool)).some(({ blocking }) => blocking === pid)
      while (!is_answered && !(await isBlocking()));
    },
    async end(error) {
      if (error) released.reject(error)
      else released.resolve()
      await ending.catch((thrown) => assert.equal(thrown, error))
    },
    // A failed test would otherwise leave the transaction open, and the process would not end.
    async [Symbol.asyncDispose]() {
      released.resolve()
      await ending.catch(() => {})
    },
  }
}
