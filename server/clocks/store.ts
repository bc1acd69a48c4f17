import { type At, type InWorkspace, newHook, timeStands } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { newId } from '../kit/id.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { invalid, invalidState, Problem } from '../kit/problem.ts'
import { announce } from '../kit/work/rows.ts'
import type { Advance, TestClock } from './schema.ts'

/**
 * The last time of a clock: a year before the last time that can be stored, so that later due times can be stored too.
 */
const clock_max_ms = clock.time_max_ms - 366 * clock.day_ms
const columns = raw(`now, case when target is null then 'ready' else 'advancing' end as status, target, seed, error`)

export const table = 'test_clocks'
export const default_seed = 1

/** Runs in the transaction that creates a test workspace. */
export const created = newHook<undefined>('clocks.created')

/** Whether a test clock can have this time. */
export const isValidTime = (time_ms: number): boolean => time_ms >= 0 && time_ms <= clock_max_ms

/** Adds the clock of a new test workspace, in the transaction that creates the workspace. It begins at `at.now`. */
export async function create(at: At, { seed }: { seed: number }): Promise<void> {
  const { db, workspace, now } = at
  await db.run(
    sql`insert into test_clocks (workspace_id, id, now, seed)
      values (${workspace}, ${newId()}, ${clock.iso(now)}, ${seed})`,
  )
  await at.hooks.run(at, created, undefined)
}

/** Returns the clock. Fails in a live workspace. */
export async function get({ db, workspace }: At): Promise<TestClock> {
  const found = await db.maybe<TestClock>(sql`select ${columns} from test_clocks where workspace_id = ${workspace}`)
  if (!found) throw isLive()
  return found
}

/** Returns the time up to which an advance may run what is due, or undefined when the clock stands still. */
export async function readTarget({ db, workspace }: InWorkspace): Promise<number | undefined> {
  const found = await db.maybe<{ target: string | null }>(
    sql`select target from test_clocks where workspace_id = ${workspace}`,
  )
  return found?.target ? clock.parse(found.target) : undefined
}

/**
 * Returns the time up to which work of the workspace may run ahead. Undefined in a live workspace, whose time runs.
 */
export async function readHorizon(at: At): Promise<number | undefined> {
  return timeStands(at) ? Math.max(at.now, (await readTarget(at)) ?? at.now) : undefined
}

/**
 * Returns the time until which something may have happened in the workspace. In a test workspace no advance ends before
 * the transaction does, so that what ran ahead of the clock is not written when the clock has stopped.
 */
export async function lockHorizon(at: At): Promise<number> {
  if (!timeStands(at)) return Number.POSITIVE_INFINITY
  const { db, workspace } = at
  const found = await db.maybe<Pick<TestClock, 'now' | 'target'>>(
    sql`select now, target from test_clocks where workspace_id = ${workspace} for share`,
  )
  return found ? clock.parse(found.target ?? found.now) : Number.POSITIVE_INFINITY
}

/** Returns the seed of what is simulated in the workspace. A live workspace has the default. */
export async function readSeed({ db, workspace }: InWorkspace): Promise<number> {
  const found = await db.maybe<{ seed: number }>(sql`select seed from test_clocks where workspace_id = ${workspace}`)
  return found?.seed ?? default_seed
}

/** Begins an advance, which then runs in the background. */
export async function advance(at: At, input: Advance): Promise<TestClock> {
  const { db, workspace } = at
  const before = await db.maybe<TestClock>(
    sql`select ${columns} from test_clocks where workspace_id = ${workspace} for update`,
  )
  if (!before) throw isLive()
  if (before.status === 'advancing') throw isAdvancing(before)
  const now = clock.parse(before.now)
  const target = toTarget(now, input)
  announce(at, { table })
  return db.one<TestClock>(
    // The advance is due at once, by wall time and by the clock's own.
    sql`update test_clocks set target = ${clock.iso(target)}, due_at = ${clock.iso(Math.min(now, clock.wall()))}, attempt = 0,
        error = null, progress_at = ${clock.iso(clock.wall())}
      where workspace_id = ${workspace} returning ${columns}`,
  )
}

function toTarget(now: number, { to, by_seconds }: Advance): number {
  if ((to === undefined) === (by_seconds === undefined)) throw eitherOr()
  const target = to === undefined ? now + (by_seconds ?? 0) * 1000 : clock.parse(to)
  if (!(target > now)) throw notAfterNow(now)
  if (!isValidTime(target)) throw tooLate(to === undefined ? 'by_seconds' : 'to')
  return target
}

const isLive = () => invalidState('This workspace is live and has no test clock. Create a test workspace to get one.')

const isAdvancing = ({ status, target }: TestClock) =>
  new Problem('INVALID_STATE', `The clock is advancing to ${target}. Wait until it is ready.`, { status })

const eitherOr = () =>
  invalid([{ path: 'to', code: 'required', message: 'Send either to or by_seconds, and not both.' }])

const notAfterNow = (now: number) =>
  invalid([{ path: 'to', code: 'minimum', message: `to must be after the clock's time, ${clock.iso(now)}.` }])

const tooLate = (path: string) =>
  invalid([{ path, code: 'maximum', message: `A test clock can advance to ${clock.iso(clock_max_ms)} at most.` }])
