import * as audit from '../audit/store.ts'
import type { At } from '../kit/at.ts'
import { isUnavailable } from '../kit/postgres/errors.ts'

/** As an actor, and as a subject. Without an id, someone who is not known. */
export const personOf = (id: string | null) => ({ type: 'person', id })

type Acting = Pick<At, 'db' | 'actor' | 'request'>

/** Adds the entry to each of these workspaces. One whose node is down goes without: the person must get into the others. */
export async function recordInEach(at: Acting, workspaces: { id: string }[], entry: audit.NewEntry): Promise<void> {
  for (const { id } of workspaces) {
    await audit.record({ ...at, workspace: id }, entry).catch((error: unknown) => {
      if (!at.db.isSharded() || !isUnavailable(error)) throw error
    })
  }
}
