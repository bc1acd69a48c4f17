import { errorCode, Problem } from '../problem.ts'
import { isShortage } from '../work/shortage.ts'
import { isNodeFault } from './citus/faults.ts'

const serialization_failure = '40001'
const deadlock_detected = '40P01'
const unique_violation = '23505'
const in_failed_sql_transaction = '25P02'
const lock_not_available = '55P03'
const query_canceled = '57014'

/** The connection was lost during `commit`, so the transaction may have been committed. Never retried. */
export class CommitUnknownError extends Error {}

/** The database doesn't answer. Only reads fail with this error. */
export class UnresponsiveError extends Error {}

/** Whether the transaction lost a race with another one: a new attempt can succeed. */
export const isRetryable = (error: unknown): boolean =>
  [serialization_failure, deadlock_detected, unique_violation].includes(codeOf(error)) ||
  (error instanceof Problem && codeOf(error.cause) === unique_violation)

/** Turns a unique violation into a problem. The transaction is still retried, and the last attempt throws the problem. */
export const onUniqueViolation =
  (toProblem: () => Problem) =>
  (error: unknown): never => {
    throw codeOf(error) === unique_violation ? Object.assign(toProblem(), { cause: error }) : error
  }

/** Whether an earlier statement of the transaction has failed. */
export const isInFailedTransaction = (error: unknown): boolean => codeOf(error) === in_failed_sql_transaction

export const isLockTimeout = (error: unknown): boolean => codeOf(error) === lock_not_available

/** Whether a statement took longer than it may. */
export const isCanceled = (error: unknown): boolean => codeOf(error) === query_canceled

/** Whether conflicts with other transactions persisted. In a batch, possibly only one item conflicts. */
export const isContention = (error: unknown): boolean =>
  [serialization_failure, deadlock_detected, lock_not_available].includes(codeOf(error))

/** Whether the driver got no answer from the connection in time. */
export const isQueryTimeout = (error: unknown): boolean => error instanceof Error && /^Query read/.test(error.message)

/** Whether a node of a sharded database can't be reached. */
export const isNodeDown = (error: unknown): boolean =>
  isNodeFault(error instanceof CommitUnknownError ? error.cause : error)

/** Whether the database is unreachable, starting, stopping, full or too busy. The client can retry the request. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof Error &&
  (error instanceof CommitUnknownError ||
    error instanceof UnresponsiveError ||
    isContention(error) ||
    isQueryTimeout(error) ||
    isNodeDown(error) ||
    isOutOfHandles(error) ||
    /^(08|53|57P0)|^(57014|25006)$|^(ECONN\w+|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN)$/.test(
      codeOf(error),
    ) ||
    /^Connection terminated|^timeout exceeded when|^Client (was closed|has encountered)|^Cannot use a pool/.test(
      error.message,
    ))

/** Whether the machine lacks what another connection would need. */
const isOutOfHandles = (error: Error): boolean => isShortage(error) && 'syscall' in error && error.syscall === 'connect'

/** Whether the database is unavailable, or too many reads wait already. */
export const isBusy = (error: unknown): boolean =>
  isUnavailable(error) || (error instanceof Problem && error.code === 'SERVICE_UNAVAILABLE')

const codeOf = (error: unknown): string => errorCode(error) ?? ''
