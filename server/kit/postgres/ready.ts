import { setTimeout as sleep } from 'node:timers/promises'
import * as clock from '../clock.ts'
import { isCurrent, listNames } from './migrate.ts'
import type { Pool } from './pool.ts'
import { sql } from './sql.ts'

/** A load balancer must get an answer even if the database doesn't respond. */
const answer_within_ms = 2_000
/** Clients may call /ready as often as they like, so the write is tried at most this often. */
const write_probe_every_ms = 1_000
/** About half a megabyte in a temporary file: uses the disk and leaves nothing behind. */
const probe_rows = 40_000

/**
 * Returns a check that the migrations of this process are applied and the database accepts writes. A newer version beside
 * it may have applied more.
 */
export function openReadinessCheck(pool: Pool, migrations: string): () => Promise<boolean> {
  // Read once: a newer version may be installed into the folder while this process runs.
  const names = listNames(migrations)
  let probed_at = Number.NEGATIVE_INFINITY
  let is_writable: Promise<boolean> = Promise.resolve(false)

  function isWritable(): Promise<boolean> {
    if (clock.ticks() - probed_at < write_probe_every_ms) return is_writable
    probed_at = clock.ticks()
    is_writable = acceptsWrites(pool).catch(() => false)
    return is_writable
  }

  return async () => {
    const checks = Promise.all([isCurrent(pool, names), isWritable()]).catch(() => [false])
    const late = sleep(answer_within_ms, [false], { ref: false })
    return (await Promise.race([checks, late])).every(Boolean)
  }
}

/** With little memory the function's rows spill to disk, which fails when the disk is full. A standby is read-only. */
const acceptsWrites = (pool: Pool): Promise<boolean> =>
  pool.tx(async (db) => {
    await db.script(`set local work_mem = '64kB'`)
    const { is_writable } = await db.one<{ is_writable: boolean }>(
      sql`select current_setting('transaction_read_only') = 'off' as is_writable, count(*)
        from generate_series(1, ${probe_rows})`,
    )
    return is_writable
  })
