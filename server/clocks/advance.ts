import { setTimeout as sleep } from 'node:timers/promises'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { setBounded } from '../kit/limits/bounded-map.ts'
import type { Log } from '../kit/log.ts'
import { type Sql, sql } from '../kit/postgres/sql.ts'
import { type DueKind, readDueTimes } from '../kit/work/due.ts'
import { assertHeld, isHeld, type Lease, type RowWork } from '../kit/work/rows.ts'
import { table } from './store.ts'

/**
 * How long to wait before work that is still due is looked at again, because another process runs it, or it has failed
 * and waits.
 */
const recheck_ms = { first: 20, max: 1_000 }
/** How often an advance is checked for progress while work is running. */
const check_every_ms = 250
/** An advance that was not looked at for this long may have made progress: the database was away, for example. */
const unseen_max_ms = 10_000
const default_stalled_ms = 60_000
const watched_max = 1_000

export interface AdvanceOptions {
  /** The kinds of all background work except advances. */
  kinds: DueKind[]
  /** Runs what is due of this kind in the workspace, at the clock's time. */
  drain: (kind: string, workspace: string) => Promise<void>
  /** Deletes what has expired in the workspace by the clock's time. */
  removeExpired: (workspace: string) => Promise<void>
  /** An advance that makes no progress for this long ends. By default a minute. */
  stalled_ms?: number | undefined
  log: Log
}

/** An advance as it was when it last made progress. */
interface WatchedAdvance {
  progress: string
  since_ticks: number
  seen_ticks: number
  wait_ms: number
}

export function advancing({ stalled_ms = default_stalled_ms, ...options }: AdvanceOptions): RowWork {
  const kinds = options.kinds.toSorted((left, right) => (left.kind < right.kind ? -1 : 1))
  /** Advances by workspace, which has at most one. */
  const watched = new Map<string, WatchedAdvance>()
  const advance = { ...options, kinds, stalled_ms, watched }
  return {
    table,
    begin: async (at, lease) => () => advanceToNext(at, lease, advance),
    giveUp: async (at, lease) => {
      const held = await readHeld(at, lease)
      if (held) await end(at, lease, `The advance to ${held.target} has failed at ${held.now}. See the server's log.`)
    },
  }
}

interface Advance extends AdvanceOptions {
  stalled_ms: number
  watched: Map<string, WatchedAdvance>
}

/**
 * Moves the clock to the next due time up to its target and runs what is due then, kind after kind. The clock stays there
 * until nothing is due any more, so the result is the same however many advances there are. Returns false at the target, and
 * when nothing goes on. If the process is killed, another one continues from the clock's time.
 */
async function advanceToNext(at: At, lease: Lease, advance: Advance): Promise<boolean> {
  const held = await readHeld(at, lease)
  if (!held) return false
  const now = clock.parse(held.now)
  const target = clock.parse(held.target)
  const due = await readDueTimes(at, advance.kinds)
  const next = Math.max(now, Math.min(...due.values()))
  if (next > target) {
    advance.watched.delete(at.workspace)
    await move(at, lease, sql`now = ${held.target}, attempt = 0`)
    await advance.removeExpired(at.workspace)
    await move(at, lease, sql`target = null, due_at = null`)
    return false
  }
  const due_now = [...due].flatMap(([kind, due_at]) => (due_at <= next ? [kind] : []))
  if (next > now) await move(at, lease, sql`now = ${clock.iso(next)}, attempt = 0`)
  else if (look(at.workspace, held, advance).is_stalled) {
    await endStalled(at, lease, { held, due_now, advance })
    return false
  } else await waitForWork(at.workspace, advance)
  for (const kind of due_now) {
    const stalled = await drainOrStall(at, lease, { kind, advance })
    if (stalled) {
      await endStalled(at, lease, { held: stalled, due_now: [kind], advance })
      return false
    }
  }
  return true
}

interface HeldAdvance {
  now: string
  target: string
  progress_at: string | null
}

/** Returns undefined when the lease is lost, or the advance has ended. */
const readHeld = ({ db }: At, lease: Lease): Promise<HeldAdvance | undefined> =>
  db.maybe<HeldAdvance>(
    sql`select now, target, progress_at from test_clocks where ${isHeld(lease)} and target is not null`,
  )

const move = async ({ db }: At, lease: Lease, changes: Sql): Promise<void> =>
  assertHeld(await db.run(sql`update test_clocks set ${changes} where ${isHeld(lease)}`))

/** Compares an advance with how it was when it was last looked at. It makes progress when the clock moves or work is done. */
function look(workspace: string, { now, progress_at }: HeldAdvance, { watched, stalled_ms }: Advance) {
  const ticks = clock.ticks()
  const progress = `${now} ${progress_at}`
  const known = watched.get(workspace)
  if (known?.progress !== progress || ticks - known.seen_ticks > unseen_max_ms) {
    setBounded(watched, workspace, { progress, since_ticks: ticks, seen_ticks: ticks, wait_ms: 0 }, watched_max)
    return { is_stalled: false }
  }
  known.seen_ticks = ticks
  return { is_stalled: ticks - known.since_ticks >= stalled_ms }
}

/** Waits longer each time that the clock could not go on. */
async function waitForWork(workspace: string, { watched }: Advance): Promise<void> {
  const known = watched.get(workspace)
  if (!known) return
  await sleep(known.wait_ms)
  known.wait_ms = Math.min(Math.max(2 * known.wait_ms, recheck_ms.first), recheck_ms.max)
}

/** Runs what is due. Returns the clock if nothing makes progress: then the work is not waited for any more. */
async function drainOrStall(
  at: At,
  lease: Lease,
  { kind, advance }: { kind: string; advance: Advance },
): Promise<HeldAdvance | undefined> {
  const draining = advance.drain(kind, at.workspace).then(() => true)
  // The work may still fail when it is not waited for any more.
  draining.catch(() => {})
  const every_ms = Math.min(check_every_ms, advance.stalled_ms / 4)
  for (;;) {
    const waiting = new AbortController()
    const waited = sleep(every_ms, false, { signal: waiting.signal }).catch(() => false)
    const is_done = await Promise.race([draining, waited])
    waiting.abort()
    if (is_done) return undefined
    const held = await readHeld(at, lease)
    if (held && look(at.workspace, held, advance).is_stalled) return held
  }
}

interface StalledAdvance {
  held: HeldAdvance
  due_now: string[]
  advance: Advance
}

async function endStalled(at: At, lease: Lease, { held, due_now, advance }: StalledAdvance): Promise<void> {
  const { now, target } = held
  const seconds = Math.round(advance.stalled_ms / 1_000)
  const kinds = due_now.map((kind) => kind.replaceAll('_', ' ')).join(', ')
  advance.watched.delete(at.workspace)
  advance.log.warn({ workspace_id: at.workspace, now, due: due_now }, 'an advance has ended because nothing goes on')
  const why = `For ${seconds} seconds nothing was done, and work is still due: ${kinds}.`
  await end(at, lease, `The advance to ${target} has stopped at ${now}. ${why}`)
}

const end = (at: At, lease: Lease, error: string): Promise<void> =>
  move(at, lease, sql`target = null, due_at = null, error = ${error}`)
