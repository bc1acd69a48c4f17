import * as audit from '../audit/store.ts'
import type { Actor, At } from '../kit/at.ts'
import { changeThenWrite, writeInEach } from '../kit/postgres/citus/tenants.ts'
import { sql } from '../kit/postgres/sql.ts'

/** Returns the person as an actor or a subject. Without an id it is someone who is not known. */
export const asPerson = (id: string | null) => ({ type: 'person', id })

interface PersonEntry extends Pick<audit.NewEntry, 'action' | 'is_counted'> {
  /** The person whom the entry is about. It is in the audit log of each of their workspaces. */
  person_id: string
  /** The actor that has done it. By default the one for whom the verb runs. */
  actor?: Actor
}

/**
 * Runs the change in a transaction, and records it there. Without an entry nothing is recorded. A sharded database gets
 * the entries after the commit: a workspace whose node is down gets none, so that the person still gets into the
 * others.
 */
export async function changeAndRecord<T>(
  at: At,
  change: (at: At) => Promise<T>,
  toEntry: (changed: T) => PersonEntry | undefined,
): Promise<T> {
  const record = async (at: At, changed: T): Promise<void> => {
    const entry = toEntry(changed)
    if (entry) await recordForPerson(at, entry)
  }
  return changeThenWrite(at, change, record)
}

export async function recordForPerson(at: At, { person_id, actor = at.actor, ...rest }: PersonEntry): Promise<void> {
  const { db } = at
  const acting = { ...at, actor }
  const entry = { ...rest, subject: asPerson(person_id) }
  const joined = await db.many<{ workspace_id: string }>(
    sql`select workspace_id from memberships where person_id = ${person_id} order by workspace_id`,
  )
  const workspaces = joined.map(({ workspace_id }) => workspace_id)
  await writeInEach(db, workspaces, (each) => audit.recordInEach(acting, each, entry))
}
