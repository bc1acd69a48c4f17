import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { sql } from '../kit/postgres/sql.ts'

export interface Stamp {
  contact_id: string
  /** When the contact was reached, or wrote or called. */
  at: number
}

/** Keeps `first_contact_at` and `last_contact_at`. This is no edit: `updated_at` stays, and no event is recorded. */
export async function stamp({ db, workspace }: Pick<At, 'db' | 'workspace'>, stamps: Stamp[]): Promise<void> {
  if (stamps.length === 0) return
  const rows = [...Map.groupBy(stamps, ({ contact_id }) => contact_id)].map(([id, of_contact]) => {
    const times = of_contact.map(({ at }) => at)
    return { id, first: clock.iso(Math.min(...times)), last: clock.iso(Math.max(...times)) }
  })
  await db.run(
    sql`update contacts
      set first_contact_at = least(first_contact_at, reached.first), last_contact_at = greatest(last_contact_at, reached.last)
      from (select locked.id, row.first, row.last
        from json_to_recordset(${JSON.stringify(rows)}) as row (id uuid, first timestamptz, last timestamptz)
        join contacts as locked on locked.workspace_id = ${workspace} and locked.id = row.id
        order by locked.id for no key update of locked) as reached
      where workspace_id = ${workspace} and contacts.id = reached.id
        and (first_contact_at is null or first_contact_at > reached.first or last_contact_at < reached.last)`,
  )
}
