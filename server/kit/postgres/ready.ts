import { setTimeout as sleep } from 'node:timers/promises'
import * as clock from '../clock.ts'
import { isCurrent } from './migrate.ts'
import type { Pool } from './pool.ts'
import { sql } from './sql.ts'

/** A silent database must not keep a load balancer waiting. */
const answer_within_ms = 2_000
/** Anyone may ask, as often as they like: whether a write is taken is tried once in this time. */
const tried_every_ms = 1_000
/** About half a megabyte, as a temporary file: it takes room on the disk and leaves nothing behind. */
const probe_rows = 40_000

/** Tells whether requests can be served: the schema is current, and the database takes writes. */
export function readiness(pool: Pool, migrations: string): () => Promise<boolean> {
  let tried_at = Number.NEGATIVE_INFINITY
  let is_writable: Promise<boolean> = Promise.resolve(false)

  function isWritable(): Promise<boolean> {
    if (clock.ticks() - tried_at < tried_every_ms) return is_writable
    tried_at = clock.ticks()
    is_writable = takesWrites(pool).catch(() => false)
    return is_writable
  }

  return async () => {
    const checks = Promise.all([isCurrent(pool, migrations), isWritable()]).catch(() => [false])
    const late = sleep(answer_within_ms, [false], { ref: false })
    return (await Promise.race([checks, late])).every(Boolean)
  }
}

/** With little memory the rows of a function spill to disk, and fail where the disk is full. A standby is read-only. */
const takesWrites = (pool: Pool): Promise<boolean> =>
  pool.tx(async (db) => {
    await db.script(`set local work_mem = '64kB'`)
    const { is_writable } = await db.one<{ is_writable: boolean }>(
      sql`select current_setting('transaction_read_only') = 'off' as is_writable, count(*)
        from generate_series(1, ${probe_rows})`,
    )
    return is_writable
  })
