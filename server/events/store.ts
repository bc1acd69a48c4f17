import * as clock from '../kit/clock.ts'
import { copyLine } from '../kit/copy.ts'
import type { Db } from '../kit/db.ts'
import { newId } from '../kit/id.ts'
import { sql } from '../kit/sql.ts'
import type { EventType } from './catalogue.ts'

export type { EventType }

/** What happened to a resource: what it is now, and of an update what it was before where that is different. */
export interface Happening {
  data: { id: string }
  previous?: object
}

/** Writes down what happened, in the transaction in which it happened. */
export async function record(
  db: Db,
  workspace: string,
  type: EventType,
  happenings: Happening[],
  now: number,
): Promise<void> {
  if (happenings.length === 0) return
  await db.run(
    sql`insert into events (workspace_id, id, type, resource_id, data, previous, created_at)
      select ${workspace}, id, ${type}, resource_id, data, previous, ${clock.iso(now)}
      from unnest(${happenings.map(() => newId())}::uuid[], ${happenings.map(({ data }) => data.id)}::uuid[],
        ${happenings.map(({ data }) => JSON.stringify(data))}::json[],
        ${happenings.map(({ previous }) => previous && JSON.stringify(previous))}::json[])
        as event (id, resource_id, data, previous)`,
  )
}

/** The same for very many at once. */
export async function recordMany(
  db: Db,
  workspace: string,
  type: EventType,
  happenings: Omit<Happening, 'previous'>[],
  now: number,
): Promise<void> {
  const created_at = clock.iso(now)
  const lines = happenings.map(({ data }) =>
    copyLine([workspace, newId(), type, data.id, JSON.stringify(data), created_at]),
  )
  const columns = ['workspace_id', 'id', 'type', 'resource_id', 'data', 'created_at']
  await db.copy('events', columns, lines.join(''))
}

/** What the log holds of deleted resources is reduced to their ids. */
export async function forget(db: Db, workspace: string, resource_ids: string[]): Promise<void> {
  await db.run(
    sql`update events set data = json_build_object('id', resource_id), previous = null
      where workspace_id = ${workspace} and resource_id = any(${resource_ids}::uuid[])`,
  )
}

export interface Told {
  id: string
  type: string
  resource_id: string
  created_at: string
}

/** The newest first. */
export const last = (db: Db, workspace: string, limit: number): Promise<Told[]> =>
  db.many<Told>(
    sql`select id, type, resource_id, created_at from events where workspace_id = ${workspace}
      order by id desc limit ${limit}`,
  )
