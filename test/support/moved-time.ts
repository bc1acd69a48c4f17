import { raw, type Sql } from '../../server/kit/postgres/sql.ts'

/** The time in a column, moved by an interval. A sharded database refuses updates that depend on the time zone of the session. */
export const movedTime = (column: string, by: string): Sql =>
  raw(`(${column} at time zone 'UTC' + interval '${by}') at time zone 'UTC'`)
