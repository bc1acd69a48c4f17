import { randomUUID } from 'node:crypto'
import { type At, type AtOutside, type InWorkspace, inTransaction } from '../at.ts'
import * as clock from '../clock.ts'
import { isUnavailable } from '../postgres/errors.ts'
import { raw, type Sql, sql, toArrayLiteral } from '../postgres/sql.ts'
import { plainShare } from './capacity.ts'
import type { DueKind } from './due.ts'
import { itemLeases, leaseEnd } from './lease.ts'
import { isShortage } from './shortage.ts'
import type { DueItem, RunContext, Work } from './work.ts'

/** How long one row is worked on before the next one. */
const turn_ms = 1_000
/** @internal */
export const attempts_max = 10
/** A row's counter of leases stops here. */
const counted_max = 100
const retry_max_ms = 60_000

/** The exclusive right of this process to work on one row. */
export interface Lease extends DueItem {
  workspace: string
  token: string
}

/**
 * Work whose state is in the rows of a table, with `due_at`, `lease_until`, `lease_token` and `attempt`. What a batch writes
 * checks the lease with `isHeld` and `assertHeld`. `attempt` counts the turns that have failed or were not ended.
 */
export interface RowWork {
  table: string
  /** Returns the function that runs one batch. It returns false, with `due_at` set to null, when no work is left. */
  begin: (at: AtOutside, lease: Lease, context: RunContext) => Promise<() => Promise<boolean>>
  /**
   * Called in a transaction after the last attempt has failed. Attempts go on for ever without it, and while the
   * database is out of reach or the machine lacks something.
   */
  giveUp?: (at: At, lease: Lease) => Promise<void>
}

/** A condition for the `where` clause of the statement that ends a batch. */
export const isHeld = ({ workspace, id, token }: Lease): Sql =>
  sql`workspace_id = ${workspace} and id = ${id} and lease_token = ${token}`

/** Another process has leased the row, or its work was canceled. */
class LeaseLostError extends Error {}

/** Returns an error that ends the turn without a failure. */
export const leaseLost = (): Error => new LeaseLostError('the lease is lost')

/** Call it with the number of rows that the statement that ends a batch has changed. */
export function assertHeld(changed: number): void {
  if (changed === 0) throw leaseLost()
}

/** Announces, after the commit, that a row of the table is due. */
export const announce = ({ db, workspace }: At, { table }: Pick<RowWork, 'table'>): void =>
  db.notify({ topic: table, workspace })

export const dueRows = (table: string): DueKind => ({
  kind: table,
  nextDue: (workspace) => sql`select min(due_at) from ${raw(table)} where workspace_id = ${workspace}`,
  nextFree: (workspace) =>
    sql`select min(greatest(due_at, lease_until)) from ${raw(table)} where workspace_id = ${workspace} and due_at is not null`,
  selectWaiting: ({ workspace, now, limit }) =>
    sql`select due_at from ${raw(table)} where workspace_id = ${workspace} and due_at <= ${clock.iso(now)}
      and (lease_until is null or lease_until <= ${clock.iso(now)}) order by due_at limit ${limit}`,
})

/**
 * By default one row is worked on at a time, in all and in a workspace, so that most of the database's time is left to
 * requests.
 */
export const rowWork = (work: RowWork, { at_once = 1, of_workspace = 1 } = {}): Work<Lease, boolean> => ({
  due: dueRows(work.table),
  openLeases: () => itemLeases(renewerOf(work.table)),
  limits: { process: plainShare(at_once), workspace: plainShare(of_workspace) },
  claim: (at, { slots }) => leaseDueRows(at, work.table, slots),
  run: (at, lease, context) => runTurn(at, { work, lease }, context),
  isProgress: (has_worked) => has_worked,
})

interface ToLease {
  table: string
  limit: number
  returning: Sql
  /** By default a new token is made. */
  token?: string
  /** This column counts how often the row was leased. */
  counter?: string
  /** A condition on the row, which is `due`. It begins with `and`. */
  where?: Sql
}

/** Leases rows that are due and that no process has leased, the longest due first. It leaves out rows that are locked. */
export async function leaseRows<Row>(
  { db, workspace, now }: Pick<At, 'db' | 'workspace' | 'now'>,
  { table, limit, returning, token = randomUUID(), counter = 'attempt', where = raw('') }: ToLease,
): Promise<(Row & { token: string })[]> {
  const leased = await db.many<Row>(
    sql`update ${raw(table)}
      set lease_token = ${token}, lease_until = ${leaseEnd(db)}, ${raw(counter)} = least(${raw(counter)}, ${counted_max}) + 1
      where workspace_id = ${workspace} and id = any(array(
        select id from ${raw(table)} as due
        where workspace_id = ${workspace} and due_at <= ${clock.iso(now)}
          and (lease_until is null or lease_until <= ${clock.iso(db.time())}) ${where}
        order by due_at, id limit ${limit} for no key update skip locked))
      returning ${returning}`,
  )
  return leased.map((row) => ({ ...row, token }))
}

const leaseDueRows = async (at: At, table: string, limit: number): Promise<Lease[]> => {
  const leased = await leaseRows<DueItem>(at, { table, limit, returning: raw('id, due_at') })
  return leased.map((row) => ({ ...row, workspace: at.workspace }))
}

/** Returns a function that extends the leases of rows, and returns these columns of them. Rows that are locked are left out. */
export const renewerOf =
  <Renewed extends { id: string }>(table: string, returning = 'id') =>
  ({ db, workspace }: InWorkspace, leases: Pick<Lease, 'id' | 'token'>[]): Promise<Renewed[]> =>
    db.many<Renewed>(
      sql`update ${raw(table)} set lease_until = ${leaseEnd(db)}
        where workspace_id = ${workspace} and id = any(array(
          select id from ${raw(table)}
          where workspace_id = ${workspace} and id = any(${toArrayLiteral(leases.map(({ id }) => id))}::uuid[])
            and lease_token = any(${toArrayLiteral([...new Set(leases.map(({ token }) => token))])}::uuid[])
          order by id for no key update skip locked))
        returning ${raw(returning)}`,
    )

/** Runs batches for a while, then ends the lease. Returns false after a failure: the row can't be leased for a while then. */
async function runTurn(
  at: AtOutside,
  { work, lease }: { work: RowWork; lease: Lease },
  context: RunContext,
): Promise<boolean> {
  const { isStopping, log } = context
  const until = clock.ticks() + turn_ms
  let retry_at: string | null = null
  let has_failed = false
  try {
    const runBatch = await work.begin(at, lease, context)
    while ((await runBatch()) && clock.ticks() < until && !isStopping());
  } catch (error) {
    if (error instanceof LeaseLostError) return false
    log.warn({ err: error, table: work.table, id: lease.id }, 'a batch failed')
    has_failed = true
    retry_at = await giveUpOrRetryAt(at, { work, lease, error })
  }
  await at.db.run(
    sql`update ${raw(work.table)}
      set lease_until = ${retry_at}, lease_token = null, attempt = case when ${has_failed}::boolean then attempt else 0 end
      where ${isHeld(lease)}`,
  )
  return !has_failed
}

/** Returns when to try again, later after each failed attempt. Null after the last one. */
async function giveUpOrRetryAt(
  at: At,
  { work, lease, error }: { work: RowWork; lease: Lease; error: unknown },
): Promise<string | null> {
  const held = await at.db.maybe<{ attempt: number }>(
    sql`select attempt from ${raw(work.table)} where ${isHeld(lease)}`,
  )
  if (!held) return null
  const { giveUp } = work
  if (giveUp && held.attempt >= attempts_max && !isUnavailable(error) && !isShortage(error)) {
    await inTransaction(at, (at) => giveUp(at, lease))
    return null
  }
  return clock.iso(at.db.time() + Math.min(retry_max_ms, 2 ** held.attempt * 100))
}
