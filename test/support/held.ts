import assert from 'node:assert/strict'
import type { Db, Pool } from '../../server/kit/postgres/pool.ts'
import { sql } from '../../server/kit/postgres/sql.ts'

export interface Held extends AsyncDisposable {
  /** Of PostgreSQL's process for it. */
  pid: number
  /** Commits it, or undoes it by this error. */
  end: (error?: Error) => Promise<void>
}

/** A transaction that has done its work, and stays open until it is told to end. */
export async function holdOpen(pool: Pool, work: (db: Db) => Promise<unknown>): Promise<Held> {
  const held = Promise.withResolvers<number>()
  const told = Promise.withResolvers<void>()
  const ending = pool.tx(async (db) => {
    await work(db)
    held.resolve((await db.one<{ pid: number }>(sql`select pg_backend_pid() as pid`)).pid)
    await told.promise
  })
  ending.catch(held.reject)
  const pid = await held.promise
  return {
    pid,
    async end(error) {
      if (error) told.reject(error)
      else told.resolve()
      await ending.catch((thrown) => assert.equal(thrown, error))
    },
    // Also when the test fails: nothing would end otherwise.
    async [Symbol.asyncDispose]() {
      told.resolve()
      await ending.catch(() => {})
    },
  }
}
