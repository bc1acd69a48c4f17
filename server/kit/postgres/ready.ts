import { setTimeout as sleep } from 'node:timers/promises'
import * as clock from '../clock.ts'
import { isCurrent, listNames } from './migrate.ts'
import type { Pool } from './pool.ts'
import { sql } from './sql.ts'

/** A load balancer must get an answer even if the database doesn't respond. */
const answer_within_ms = 2_000
/** Clients may call /ready as often as they like, so the write is tried, and nodes are asked, at most this often. */
const probe_every_ms = 1_000
/** About half a megabyte in a temporary file: uses the disk and leaves nothing behind. */
const probe_rows = 40_000

export interface Readiness {
  is_ready: boolean
  /** The nodes of a sharded database that could not be reached when they were last asked. */
  nodes_down?: number
}

/**
 * Returns a check that the migrations of this process are applied, the database accepts writes, and it is set up. A newer version
 * beside it may have applied more. A sharded database is ready while nodes are down: other workspaces can be used.
 */
export function openReadinessCheck(
  pool: Pool,
  { migrations, isSetUp }: { migrations: string; isSetUp: () => Promise<boolean> },
): () => Promise<Readiness> {
  // The names are read once, because a newer version may be installed into the folder while this process runs.
  const names = listNames(migrations)
  const isWritable = atMostEvery(probe_every_ms, () => acceptsWrites(pool).catch(() => false))
  let nodes_down: number | undefined
  const askNodes = atMostEvery(probe_every_ms, async () => {
    // An error here means that the coordinator fails, which the other checks find.
    const nodes = await pool.listNodes().catch(() => [])
    if (nodes.length > 0) nodes_down = nodes.filter(({ is_up }) => !is_up).length
  })

  return async () => {
    const checks = Promise.all([isCurrent(pool, names), isWritable(), isSetUp()]).catch(() => [false])
    const late = sleep(answer_within_ms, [false], { ref: false })
    const [results] = await Promise.all([Promise.race([checks, late]), Promise.race([askNodes(), late])])
    return { is_ready: results.every(Boolean), ...(nodes_down !== undefined && { nodes_down }) }
  }
}

/** Runs at most this often. Until then, and while a run has not ended, callers get the result of the last run. */
function atMostEvery<T>(every_ms: number, run: () => Promise<T>): () => Promise<T> {
  let last: { result: Promise<T>; began: number; has_ended: boolean } | undefined
  return () => {
    if (last && (!last.has_ended || clock.ticks() - last.began < every_ms)) return last.result
    const current = { result: run(), began: clock.ticks(), has_ended: false }
    last = current
    const end = () => {
      current.has_ended = true
    }
    // `finally` is not used: its promise would fail when the result does, and nobody would catch it.
    current.result.then(end, end)
    return current.result
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
