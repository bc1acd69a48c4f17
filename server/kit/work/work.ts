import { randomUUID } from 'node:crypto'
import * as clock from '../clock.ts'
import type { Log } from '../log.ts'
import { isUnavailable } from '../postgres/errors.ts'
import type { Db, Pool } from '../postgres/pool.ts'
import { raw, type Sql, sql } from '../postgres/sql.ts'

/** Longer than any batch takes. Should one take longer, it finds its token gone and undoes itself. */
const lease_ms = 10_000
/** After that it is another workspace's turn. */
const turn_ms = 1_000
const look_every_ms = 500
const attempts_max = 10
const pause_max_ms = 60_000

/** The right to work on one row until another process may take it up. */
export interface Lease {
  workspace: string
  id: string
  token: string
}

/**
 * Work that is kept in rows of a table, with `due_at`, `lease_until`, `lease_token` and `attempt`. Each batch is a
 * transaction that renews the lease by `renewed`, and is undone when the lease is lost.
 */
export interface Work {
  table: string
  /** Does one batch; false when there was no more to do, and it has set `due_at` to null. */
  begin: (pool: Pool, lease: Lease) => Promise<() => Promise<boolean>>
  /** It was tried often enough. In a transaction. */
  giveUp: (db: Db, lease: Lease, now: number) => Promise<void>
}

/** For the `set` and the `where` of the statement that ends a batch. */
export const renewed = (now: number): Sql => sql`lease_until = ${clock.iso(now + lease_ms)}, attempt = 0`
export const isHeld = ({ workspace, id, token }: Lease): Sql =>
  sql`workspace_id = ${workspace} and id = ${id} and lease_token = ${token}`

/** Another process has the row by now, or it is no longer to be done: the batch must not count. */
class Lost extends Error {}

/** To be asked how many rows the statement that ends a batch has changed. */
export function assertHeld(changed: number): void {
  if (changed === 0) throw new Lost('the lease is lost')
}

export interface Worker {
  /** Finishes the batch that is under way. */
  stop: () => Promise<void>
}

/** Does what is due, a turn for each workspace after the other, and looks for more now and then. */
export function openWorker(pool: Pool, works: Work[], log: Log): Worker {
  let is_stopping = false
  let running: Promise<void> = Promise.resolve()
  let is_running = false
  const look = async () => {
    try {
      while (!is_stopping && (await takeTurns(pool, works, log, () => is_stopping)));
    } catch (error) {
      log.warn({ err: error }, 'background work failed')
    }
    is_running = false
  }
  const timer = setInterval(() => {
    if (is_running) return
    is_running = true
    running = look()
  }, look_every_ms)
  return {
    stop: async () => {
      is_stopping = true
      clearInterval(timer)
      await running
    },
  }
}

/** A turn for each workspace that has something due; whether any had. */
export async function takeTurns(
  pool: Pool,
  works: Work[],
  log: Log,
  isStopping: () => boolean,
  only?: string,
): Promise<boolean> {
  let has_worked = false
  for (const work of works) {
    for (const workspace of only === undefined ? await workspacesDue(pool, work) : [only]) {
      if (isStopping()) return has_worked
      const lease = await claim(pool, work, workspace)
      if (!lease) continue
      has_worked = true
      await takeTurn(pool, work, lease, log, isStopping)
    }
  }
  return has_worked
}

async function workspacesDue(pool: Pool, { table }: Work): Promise<string[]> {
  const now = clock.iso(clock.now())
  const rows = await pool.many<{ workspace_id: string }>(
    sql`select workspace_id from ${raw(table)}
      where due_at <= ${now} and (lease_until is null or lease_until <= ${now})
      group by workspace_id order by min(due_at)`,
  )
  return rows.map(({ workspace_id }) => workspace_id)
}

async function claim(pool: Pool, { table }: Work, workspace: string): Promise<Lease | undefined> {
  const now = clock.now()
  const token = randomUUID()
  const claimed = await pool.maybe<{ id: string }>(
    sql`update ${raw(table)}
      set lease_token = ${token}, lease_until = ${clock.iso(now + lease_ms)}, attempt = attempt + 1
      where workspace_id = ${workspace} and id = (
        select id from ${raw(table)}
        where workspace_id = ${workspace} and due_at <= ${clock.iso(now)}
          and (lease_until is null or lease_until <= ${clock.iso(now)})
        order by due_at, id limit 1 for update skip locked)
      returning id`,
  )
  return claimed && { workspace, id: claimed.id, token }
}

async function takeTurn(pool: Pool, work: Work, lease: Lease, log: Log, isStopping: () => boolean): Promise<void> {
  const until = clock.ticks() + turn_ms
  let due_at: string | undefined
  try {
    const batch = await work.begin(pool, lease)
    while ((await batch()) && clock.ticks() < until && !isStopping());
  } catch (error) {
    if (error instanceof Lost) return
    log.warn({ err: error, table: work.table, id: lease.id }, 'a batch failed')
    due_at = await again(pool, work, lease, error)
  }
  await pool.run(
    sql`update ${raw(work.table)} set lease_until = null, lease_token = null, due_at = coalesce(${due_at}, due_at)
      where ${isHeld(lease)}`,
  )
}

/** When to try again: later each time, and at last never. */
async function again(pool: Pool, work: Work, lease: Lease, error: unknown): Promise<string | undefined> {
  const now = clock.now()
  const held = await pool.maybe<{ attempt: number }>(sql`select attempt from ${raw(work.table)} where ${isHeld(lease)}`)
  if (!held) return undefined
  if (held.attempt >= attempts_max && !isUnavailable(error)) {
    await pool.tx((db) => work.giveUp(db, lease, now))
    return undefined
  }
  return clock.iso(now + Math.min(pause_max_ms, 2 ** held.attempt * 100))
}
