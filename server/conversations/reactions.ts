import * as agents from '../agents/store.ts'
import { nameByContact } from '../contacts/names.ts'
import * as contacts from '../contacts/store.ts'
import * as events from '../events/store.ts'
import { type At, type InWorkspace, on, type Reaction } from '../kit/at.ts'
import { redactAnswers } from '../kit/http/idempotency.ts'
import { named } from '../kit/postgres/names.ts'
import { sql } from '../kit/postgres/sql.ts'
import { closeSoon, select, unlinkContacts, unlinkRows } from './rows.ts'

export const reactions: Reaction[] = [
  on(contacts.deleted, unlink),
  on(agents.deleted, closeSoon),
  named('conversation', readNames),
  named('message', readMessageNames),
]

async function readNames(at: InWorkspace, ids: string[]) {
  const conversations = await select(['id', 'contact_id']).many(
    at.db,
    sql`from conversations where workspace_id = ${at.workspace} and id = any(${ids}::uuid[])`,
  )
  return nameByContact(at, conversations)
}

async function readMessageNames(at: InWorkspace, ids: string[]) {
  const messages = await at.db.many<{ id: string; contact_id: string | null }>(
    sql`select messages.id, contact_id from messages
      join conversations on conversations.workspace_id = ${at.workspace} and conversations.id = conversation_id
      where messages.workspace_id = ${at.workspace} and messages.id = any(${ids}::uuid[])`,
  )
  return nameByContact(at, messages)
}

/**
 * Conversations stay when their contacts are deleted, without a link and without the number, also where a visitor of a web
 * chat has typed it. Copies with the number are reduced to ids.
 */
async function unlink(at: At, deleted: contacts.DeletedContact[]): Promise<void> {
  const unlinked = await unlinkContacts(at, deleted)
  const with_number = unlinked.flatMap(({ id, had_number }) => (had_number ? [id] : []))
  if (with_number.length > 0) await Promise.all([events.redact(at, with_number), redactAnswers(at, with_number)])
}

/**
 * Removes the links and numbers of conversations of calls, which may have begun while their contacts were deleted.
 * Copies with the number are reduced to ids.
 */
export async function unlinkCalls(at: At, ids: string[]): Promise<void> {
  await unlinkRows(at, ids)
  await Promise.all([events.redact(at, ids), redactAnswers(at, ids)])
}
