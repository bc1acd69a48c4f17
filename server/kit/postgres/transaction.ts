import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { CommitUnknownError, isInFailedTransaction, isQueryTimeout, isRetryable } from './errors.ts'
import type { Notification } from './notifications.ts'
import { traceStatement } from './statement-span.ts'

export interface TxOptions {
  lock_timeout_ms?: number
  isolation?: 'read committed' | 'repeatable read'
}

export const lock_timeout_ms = 2_000
const attempts_max = 3
/** The first retry waits for a random time up to this, so that transactions that met don't meet again. */
const retry_after_ms = 50

/** Runs its statements on `client`. */
type Work<T> = (client: pg.PoolClient, transaction: Transaction) => Promise<T>

interface Transaction {
  notify: (notification: Notification) => void
  afterCommit: (work: () => void) => void
  /** Gets the error of each failing statement. */
  onStatementError: (error: unknown) => void
}

/** Runs `work` between `begin` and `commit`, with a rollback and up to two retries when it fails. */
export async function runTransaction<T>(
  pool: pg.Pool,
  work: Work<T>,
  publish: (notification: Notification) => void,
  options: TxOptions,
  attempt = 1,
): Promise<T> {
  const { isolation = 'read committed', lock_timeout_ms: lock_ms = lock_timeout_ms } = options
  const client = await pool.connect()
  let broken: Error | undefined
  /** The error that failed the transaction. Statements after it fail only with `in_failed_sql_transaction`. */
  let cause: unknown
  const notifications = new Map<string, Notification>()
  const notify = (notification: Notification) => {
    const key = `${notification.topic} ${notification.workspace} ${notification.id}`
    const { is_due = true } = notifications.get(key) ?? notification
    notifications.set(key, is_due ? { ...notification, is_due } : notification)
  }
  const after_commit: (() => void)[] = []
  const afterCommit = (work: () => void) => void after_commit.push(work)
  const onStatementError = (error: unknown) => {
    if (!isInFailedTransaction(error)) cause = error
  }
  try {
    // This is awaited: if `begin` failed, statements sent after it would each commit on their own. The two texts are
    // sent together, and are not one, because a sharded database passes on a text with `set` to its nodes. Without a
    // transaction, `set local` does nothing.
    const begun = Promise.all([
      client.query(`begin isolation level ${isolation}`),
      client.query(`set local lock_timeout = ${lock_ms}`),
    ])
    await traceStatement('begin', begun)
    const result = await work(client, { notify, afterCommit, onStatementError })
    const { command } = await traceStatement('commit', client.query('commit')).catch((error: Error) => {
      throw new CommitUnknownError('The connection was lost while committing', { cause: error })
    })
    if (command !== 'COMMIT') throw cause ?? new Error('the transaction was rolled back')
    for (const work of after_commit) work()
    for (const notification of notifications.values()) publish(notification)
    return result
  } catch (thrown) {
    const error = isInFailedTransaction(thrown) ? (cause ?? thrown) : thrown
    // A rollback on a connection that no longer answers would only wait for the next timeout.
    if (error instanceof Error && isQueryTimeout(error)) broken = error
    else
      await traceStatement('rollback', client.query('rollback')).catch((lost: Error) => {
        broken = lost
      })
    if (attempt === attempts_max || !isRetryable(error)) throw error
  } finally {
    client.release(broken)
  }
  await sleep(Math.random() * retry_after_ms * attempt)
  return runTransaction(pool, work, publish, options, attempt + 1)
}
