import { raw, type Sql } from '../kit/postgres/sql.ts'
import type { EnrollmentStatus } from './schema.ts'

/** An attempt may follow. */
export const waiting_statuses: EnrollmentStatus[] = ['pending', 'waiting']
/** An attempt is in progress. */
export const attempting_statuses: EnrollmentStatus[] = ['dialing', 'in_progress']

const isIn = (statuses: EnrollmentStatus[]): Sql =>
  raw(`enrollments.status in (${statuses.map((status) => `'${status}'`).join(', ')})`)

/** For the `where` clause of a statement on `enrollments`. */
export const is_waiting = isIn(waiting_statuses)
export const is_attempting = isIn(attempting_statuses)
