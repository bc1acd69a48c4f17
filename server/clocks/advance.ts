import { setTimeout as sleep } from 'node:timers/promises'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { setBounded } from '../kit/limits/bounded-map.ts'
import type { Log } from '../kit/log.ts'
import { type Sql, sql } from '../kit/postgres/sql.ts'
import { type DueKind, readDueTimes } from '../kit/work/due.ts'
import { assertHeld, isHeld, type Lease, type RowWork } from '../kit/work/rows.ts'
import { table } from './store.ts'

/** How long to wait before work that is still due is looked at again: another process runs it, or it has failed and waits. */
const recheck_ms = { first: 20, max: 1_000 }
/** A clock that can't go on for this long is logged. */
const stuck_after_ms = 60_000
const waiting_max = 1_000

export interface AdvanceOptions {
  /** All background work except advances. */
  kinds: DueKind[]
  /** Runs what is due of this kind in the workspace, at the clock's time. */
  drain: (kind: string, workspace: string) => Promise<void>
  /** Deletes what has expired in the workspace by the clock's time. */
  removeExpired: (workspace: string) => Promise<void>
  log: Log
}

/** A clock that waits at one time for work of other processes, or for work that has failed. */
interface Waiting {
  now: number
  since_ticks: number
  wait_ms: number
  is_logged: boolean
}

export function advancing(options: AdvanceOptions): RowWork {
  const kinds = options.kinds.toSorted((left, right) => (left.kind < right.kind ? -1 : 1))
  /** By workspace. */
  const waiting = new Map<string, Waiting>()
  return { table, begin: async (at, lease) => () => advanceToNext(at, lease, { ...options, kinds, waiting }) }
}

interface Advance extends AdvanceOptions {
  waiting: Map<string, Waiting>
}

/**
 * Moves the clock to the next due time up to its target and runs what is due then, kind after kind. The clock stays there
 * until nothing is due any more, so the result is the same however many advances there are. Returns false at the target. If
 * the process is killed, another one continues from the clock's time.
 */
async function advanceToNext(at: At, lease: Lease, advance: Advance): Promise<boolean> {
  const held = await at.db.maybe<{ now: string; target: string | null }>(
    sql`select now, target from test_clocks where ${isHeld(lease)}`,
  )
  if (!held?.target) return false
  const now = clock.parse(held.now)
  const target = clock.parse(held.target)
  const due = await readDueTimes(at, advance.kinds)
  const next = Math.max(now, Math.min(...due.values()))
  if (next > target) {
    advance.waiting.delete(at.workspace)
    await move(at, lease, sql`now = ${held.target}, attempt = 0`)
    await advance.removeExpired(at.workspace)
    await move(at, lease, sql`target = null, due_at = null`)
    return false
  }
  if (next > now) await move(at, lease, sql`now = ${clock.iso(next)}, attempt = 0`)
  else await waitForWork(at.workspace, now, advance)
  for (const [kind, due_at] of due) if (due_at <= next) await advance.drain(kind, at.workspace)
  return true
}

const move = async ({ db }: At, lease: Lease, changes: Sql): Promise<void> =>
  assertHeld(await db.run(sql`update test_clocks set ${changes} where ${isHeld(lease)}`))

/** Waits longer each time that the clock could not go on. */
async function waitForWork(workspace: string, now: number, { waiting, log }: Advance): Promise<void> {
  const known = waiting.get(workspace)
  const waits = known?.now === now ? known : { now, since_ticks: clock.ticks(), wait_ms: 0, is_logged: false }
  setBounded(waiting, workspace, waits, waiting_max)
  await sleep(waits.wait_ms)
  waits.wait_ms = Math.min(Math.max(2 * waits.wait_ms, recheck_ms.first), recheck_ms.max)
  if (waits.is_logged || clock.ticks() - waits.since_ticks < stuck_after_ms) return
  waits.is_logged = true
  log.warn({ workspace_id: workspace, now: clock.iso(now) }, 'a test clock waits for work that does not end')
}
