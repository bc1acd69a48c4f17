import * as audit from '../audit/store.ts'
import { type Actor, type At, inTransaction } from '../kit/at.ts'
import { isUnavailable } from '../kit/postgres/errors.ts'
import { sql } from '../kit/postgres/sql.ts'

/** Returns the person as an actor or a subject. Without an id it is someone who is not known. */
export const asPerson = (id: string | null) => ({ type: 'person', id })

interface PersonEntry extends Pick<audit.NewEntry, 'action' | 'is_counted'> {
  /** The person whom the entry is about. It is in the audit log of each of their workspaces. */
  person_id: string
  /** Who has done it. By default the actor for whom the verb runs. */
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
  const record = async (at: At, changed: T): Promise<T> => {
    const entry = toEntry(changed)
    if (entry) await recordForPerson(at, entry)
    return changed
  }
  return at.db.isSharded()
    ? record(at, await inTransaction(at, change))
    : inTransaction(at, async (at) => record(at, await change(at)))
}

export async function recordForPerson(at: At, { person_id, actor = at.actor, ...rest }: PersonEntry): Promise<void> {
  const { db } = at
  const acting = { ...at, actor }
  const entry = { ...rest, subject: asPerson(person_id) }
  const joined = await db.many<{ workspace_id: string }>(
    sql`select workspace_id from memberships where person_id = ${person_id} order by workspace_id`,
  )
  const workspaces = joined.map(({ workspace_id }) => workspace_id)
  if (!db.isSharded()) return audit.recordInEach(acting, workspaces, entry)
  for (const workspace of workspaces) {
    await audit.record({ ...acting, workspace }, entry).catch((error: unknown) => {
      if (!isUnavailable(error)) throw error
    })
  }
}
