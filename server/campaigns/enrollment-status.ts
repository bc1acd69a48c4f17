import { raw, type Sql } from '../kit/postgres/sql.ts'
import type { EnrollmentStatus } from './schema.ts'

/** With these statuses, an attempt may follow. */
export const waiting_statuses: EnrollmentStatus[] = ['pending', 'waiting']
/** With these statuses, an attempt is in progress. */
export const attempting_statuses: EnrollmentStatus[] = ['dialing', 'in_progress']

const isIn = (statuses: EnrollmentStatus[]): Sql =>
  raw(`enrollments.status in (${statuses.map((status) => `'${status}'`).join(', ')})`)

/** Conditions for the `where` clause of a statement on `enrollments`. */
export const is_waiting = isIn(waiting_statuses)
export const is_attempting = isIn(attempting_statuses)
