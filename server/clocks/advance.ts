import { setTimeout as sleep } from 'node:timers/promises'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { type Sql, sql } from '../kit/postgres/sql.ts'
import type { DueKind } from '../kit/work/due.ts'
import { assertHeld, isHeld, type Lease, type RowWork } from '../kit/work/rows.ts'
import { table } from './store.ts'

/** Before work that is still due is looked at again: another process runs it, or it has failed and waits. */
const recheck_ms = 50

export interface AdvanceOptions {
  /** All background work except advances. */
  kinds: DueKind[]
  /** Runs what is due of this kind in the workspace, at the clock's time. */
  drain: (kind: string, workspace: string) => Promise<void>
  /** Deletes what has expired in the workspace by the clock's time. */
  removeExpired: (workspace: string) => Promise<void>
}

export const advancing = (options: AdvanceOptions): RowWork => ({
  table,
  begin: async (at, lease) => () => advanceToNext(at, lease, options),
})

/**
 * Moves the clock to the next due time up to its target and runs what is due then, kind after kind. The clock stays there
 * until nothing is due any more, so the result is the same however many advances there are. Returns false at the target. If
 * the process is killed, another one continues from the clock's time.
 */
async function advanceToNext(at: At, lease: Lease, options: AdvanceOptions): Promise<boolean> {
  const held = await at.db.maybe<{ now: string; target: string | null }>(
    sql`select now, target from test_clocks where ${isHeld(lease)}`,
  )
  if (!held?.target) return false
  const now = clock.parse(held.now)
  const target = clock.parse(held.target)
  const next = Math.max(now, await nextDue(at, options.kinds))
  if (next > target) {
    await move(at, lease, sql`now = ${held.target}, attempt = 0`)
    await options.removeExpired(at.workspace)
    await move(at, lease, sql`target = null, due_at = null`)
    return false
  }
  if (next > now) await move(at, lease, sql`now = ${clock.iso(next)}, attempt = 0`)
  await drainAll(at, next, options)
  return true
}

const move = async ({ db }: At, lease: Lease, changes: Sql): Promise<void> =>
  assertHeld(await db.run(sql`update test_clocks set ${changes} where ${isHeld(lease)}`))

async function drainAll(at: At, now: number, { kinds, drain }: AdvanceOptions): Promise<void> {
  const isDue = async (kind: DueKind) => (await nextDue(at, [kind])) <= now
  for (const kind of kinds.toSorted((left, right) => (left.kind < right.kind ? -1 : 1))) {
    if (!(await isDue(kind))) continue
    await drain(kind.kind, at.workspace)
    if (await isDue(kind)) await sleep(recheck_ms)
  }
}

/** When the earliest work of these kinds is due. Infinity when there is none. */
async function nextDue({ db, workspace }: At, kinds: DueKind[]): Promise<number> {
  const times = await Promise.all(
    kinds.map(({ nextDue }) => db.one<{ due_at: string | null }>(sql`select (${nextDue(workspace)}) as due_at`)),
  )
  return Math.min(...times.map(({ due_at }) => (due_at === null ? Number.POSITIVE_INFINITY : clock.parse(due_at))))
}
