import { randomUUID } from 'node:crypto'
import { type At, atNow, inTransaction, type Service } from '../at.ts'
import * as clock from '../clock.ts'
import type { Log } from '../log.ts'
import { isUnavailable } from '../postgres/errors.ts'
import { raw, type Sql, sql } from '../postgres/sql.ts'
import { type DueKind, moveDue } from './due.ts'

/** Longer than a batch takes. A batch that takes longer loses its lease, and its transaction is rolled back. */
const lease_ms = 10_000
/** How long one workspace is worked on before the next one. */
const turn_ms = 1_000
const attempts_max = 10
const retry_max_ms = 60_000

/** The exclusive right of this process to work on one row. */
export interface Lease {
  workspace: string
  id: string
  token: string
}

/**
 * Background work whose state is in the rows of a table, with `due_at`, `lease_until`, `lease_token` and `attempt`. Each
 * batch is a transaction that renews the lease with `renewed`, and is rolled back when the lease is lost.
 */
export interface Work {
  table: string
  /** Returns the function that runs one batch. It returns false, with `due_at` set to null, when no work is left. */
  begin: (service: Service, lease: Lease) => Promise<() => Promise<boolean>>
  /** Called in a transaction after the last attempt has failed. */
  giveUp: (at: At, lease: Lease) => Promise<void>
}

/** For the `set` clause of the statement that ends a batch. */
export const renewed = (now: number): Sql => sql`lease_until = ${clock.iso(now + lease_ms)}, attempt = 0`
/** For the `where` clause of that statement. */
export const isHeld = ({ workspace, id, token }: Lease): Sql =>
  sql`workspace_id = ${workspace} and id = ${id} and lease_token = ${token}`

/** Another process has leased the row, or its work was canceled. */
class LeaseLostError extends Error {}

/** Call it with the number of rows that the statement that ends a batch has changed. */
export function assertHeld(changed: number): void {
  if (changed === 0) throw new LeaseLostError('the lease is lost')
}

export interface Runner {
  /** Works on the workspace when it is its turn. */
  add: (table: string, workspace: string) => void
  /** Finishes the current batch first. */
  stop: () => Promise<void>
}

/** How `due_workspaces` follows the rows of a table. A leased row is due again when its lease ends. */
export const dueRows = ({ table }: Pick<Work, 'table'>): DueKind => ({
  kind: table,
  nextDue: (workspace) =>
    sql`select min(greatest(due_at, lease_until)) from ${raw(table)}
      where workspace_id = ${workspace} and due_at is not null`,
  allDue: sql`select workspace_id, min(due_at) as due_at from ${raw(table)} where due_at is not null group by workspace_id`,
})

/** Announces, after the commit, that a row of the table is due. */
export const announce = ({ db, workspace }: At, { table }: Pick<Work, 'table'>): void =>
  db.notify({ topic: table, workspace })

/** Works on due workspaces in turn, for a second each. */
export function openRunner(service: Service, table_work: Work[], log: Log): Runner {
  const turns = new Map<string, { work: Work; workspace: string }>()
  let is_stopping = false
  let running: Promise<void> | undefined

  async function run(): Promise<void> {
    for (const [key, { work, workspace }] of turns) {
      if (is_stopping) break
      turns.delete(key)
      try {
        const has_worked = await workOnDueRow(service, work, workspace, log, () => is_stopping)
        // There may be more: it is its turn again after the others.
        if (has_worked) turns.set(key, { work, workspace })
        else await moveDue(service.pool, dueRows(work), workspace)
      } catch (error) {
        log.warn({ err: error, table: work.table }, 'background work failed')
      }
    }
    running = undefined
  }

  return {
    add(table, workspace) {
      const work = table_work.find((one) => one.table === table)
      if (!work || is_stopping) return
      const key = `${table} ${workspace}`
      if (!turns.has(key)) turns.set(key, { work, workspace })
      running ??= run()
    },
    async stop() {
      is_stopping = true
      await running
    },
  }
}

/** Works on one due row of the workspace. Returns false when there is none. */
export async function workOnDueRow(
  service: Service,
  work: Work,
  workspace: string,
  log: Log,
  isStopping: () => boolean,
): Promise<boolean> {
  const lease = await leaseDueRow(service, work, workspace)
  if (lease) await workOn(service, work, lease, log, isStopping)
  return lease !== undefined
}

async function leaseDueRow(service: Service, { table }: Work, workspace: string): Promise<Lease | undefined> {
  const now = clock.wall()
  const token = randomUUID()
  const leased = await service.pool.maybe<{ id: string }>(
    sql`update ${raw(table)}
      set lease_token = ${token}, lease_until = ${clock.iso(now + lease_ms)}, attempt = attempt + 1
      where workspace_id = ${workspace} and id = (
        select id from ${raw(table)}
        where workspace_id = ${workspace} and due_at <= ${clock.iso(now)}
          and (lease_until is null or lease_until <= ${clock.iso(now)})
        order by due_at, id limit 1 for update skip locked)
      returning id`,
  )
  return leased && { workspace, id: leased.id, token }
}

async function workOn(service: Service, work: Work, lease: Lease, log: Log, isStopping: () => boolean): Promise<void> {
  const until = clock.ticks() + turn_ms
  let due_at: string | undefined
  try {
    const runBatch = await work.begin(service, lease)
    while ((await runBatch()) && clock.ticks() < until && !isStopping());
  } catch (error) {
    if (error instanceof LeaseLostError) return
    log.warn({ err: error, table: work.table, id: lease.id }, 'a batch failed')
    due_at = await nextAttemptAt(service, work, lease, error)
  }
  await service.pool.run(
    sql`update ${raw(work.table)} set lease_until = null, lease_token = null, due_at = coalesce(${due_at}, due_at)
      where ${isHeld(lease)}`,
  )
}

/** Waits longer after each failed attempt. Undefined after the last one. */
async function nextAttemptAt(service: Service, work: Work, lease: Lease, error: unknown): Promise<string | undefined> {
  const now = clock.wall()
  const held = await service.pool.maybe<{ attempt: number }>(
    sql`select attempt from ${raw(work.table)} where ${isHeld(lease)}`,
  )
  if (!held) return undefined
  if (held.attempt >= attempts_max && !isUnavailable(error)) {
    await inTransaction(atNow(service, lease.workspace), (at) => work.giveUp(at, lease))
    return undefined
  }
  return clock.iso(now + Math.min(retry_max_ms, 2 ** held.attempt * 100))
}
