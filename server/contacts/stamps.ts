import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { sql, toArrayLiteral } from '../kit/postgres/sql.ts'

export interface Stamp {
  contact_id: string
  /** When the contact was reached, or wrote or called. */
  at: number
}

/**
 * Keeps `first_contact_at` and `last_contact_at`. This is no edit: `updated_at` stays, and no event is recorded. Returns the
 * contacts that exist, which are locked until the transaction ends.
 */
export async function stamp({ db, workspace }: Pick<At, 'db' | 'workspace'>, stamps: Stamp[]): Promise<Set<string>> {
  if (stamps.length === 0) return new Set()
  // Sorted, so that concurrent transactions lock contacts in the same order and don't deadlock.
  const reached = [...Map.groupBy(stamps, ({ contact_id }) => contact_id)].sort(([left], [right]) =>
    left < right ? -1 : 1,
  )
  const ids = toArrayLiteral(reached.map(([id]) => id))
  const timesBy = (choose: typeof Math.min) =>
    toArrayLiteral(reached.map(([, of_contact]) => clock.iso(choose(...of_contact.map(({ at }) => at)))))
  // Not a join, for which the planner may read all contacts of the workspace.
  const index = sql`array_position(${ids}::uuid[], id)`
  const first = sql`(${timesBy(Math.min)}::timestamptz[])[${index}]`
  const last = sql`(${timesBy(Math.max)}::timestamptz[])[${index}]`
  const these = sql`workspace_id = ${workspace} and id = any(${ids}::uuid[])`
  const [locked] = await Promise.all([
    db.many<{ id: string }>(sql`select id from contacts where ${these} order by id for no key update`),
    db.run(
      sql`update contacts
        set first_contact_at = least(first_contact_at, ${first}), last_contact_at = greatest(last_contact_at, ${last})
        where ${these} and (first_contact_at is null or first_contact_at > ${first} or last_contact_at < ${last})`,
    ),
  ])
  return new Set(locked.map(({ id }) => id))
}
