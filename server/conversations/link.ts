import { stamp } from '../contacts/stamps.ts'
import * as contacts from '../contacts/store.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { sql } from '../kit/postgres/sql.ts'
import { invalid, invalidState } from '../kit/problem.ts'
import type { Conversation } from './schema.ts'
import { announce, get, lock } from './store.ts'

/** Someone has made sure who the visitor of a web chat is: from now on the agent knows the contact. */
export async function link(at: At, { id, contact_id }: { id: string; contact_id: string }): Promise<Conversation> {
  const { db, workspace, now } = at
  await get(at, id)
  // The contact is locked first, as when it is deleted.
  if (!(await contacts.share(at, contact_id)))
    throw invalid([{ path: 'contact_id', code: 'unknown', message: 'contact_id must be the id of a contact.' }])
  const { awaits_answer: _, ...before } = await lock(at, id)
  const { status } = before
  if (before.kind !== 'web_chat')
    throw invalidState('Only conversations of kind web_chat can be linked to a contact.', { status })
  if (before.contact_id !== null && before.contact_id !== contact_id)
    throw invalidState('This conversation is linked to another contact.', { status, contact_id: before.contact_id })
  const updated_at = clock.laterThan(before.updated_at, now)
  await Promise.all([
    db.run(
      sql`update conversations set contact_id = ${contact_id}, updated_at = ${updated_at}
        where workspace_id = ${workspace} and id = ${id}`,
    ),
    stamp(
      at,
      [before.created_at, before.last_turn_at ?? before.created_at].map((time) => ({
        contact_id,
        at: clock.parse(time),
      })),
    ),
  ])
  announce(at, id)
  return { ...before, contact_id, updated_at }
}
