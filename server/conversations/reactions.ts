import * as agents from '../agents/store.ts'
import * as contacts from '../contacts/store.ts'
import * as events from '../events/store.ts'
import { type At, on, type Reaction } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { redactAnswers } from '../kit/http/idempotency.ts'
import { sql } from '../kit/postgres/sql.ts'
import { laterUpdate, table } from './store.ts'

export const reactions: Reaction[] = [on(contacts.deleted, unlinkContacts), on(agents.deleted, closeSoon)]

/**
 * Conversations stay when their contacts are deleted, without a link and without the number, also where a visitor of a web
 * chat has typed it. Copies with the number are reduced to ids.
 */
async function unlinkContacts(at: At, deleted: contacts.DeletedContact[]): Promise<void> {
  const { db, workspace, now } = at
  const contact_ids = deleted.map(({ id }) => id)
  const numbers = deleted.map(({ phone_number }) => phone_number)
  const unlinked = await db.many<{ id: string; had_number: boolean }>(
    sql`update conversations set contact_id = before.contact_id, counterpart = null, updated_at = ${laterUpdate(now)}
      from (select id, counterpart is not null as had_number,
          case when contact_id = any(${contact_ids}::uuid[]) then null else contact_id end as contact_id
        from conversations
        where workspace_id = ${workspace} and (contact_id = any(${contact_ids}::uuid[])
          or (counterpart = any(${numbers}::text[]) and (contact_id is null or kind = 'web_chat')))
        order by id for no key update) as before
      where workspace_id = ${workspace} and conversations.id = before.id
      returning conversations.id, before.had_number`,
  )
  const with_number = unlinked.flatMap(({ id, had_number }) => (had_number ? [id] : []))
  if (with_number.length > 0) await Promise.all([events.redact(at, with_number), redactAnswers(at, with_number)])
}

/** Does the same for conversations of calls: they may have begun while their contacts were deleted. */
export async function unlinkCalls(at: At, ids: string[]): Promise<void> {
  const { db, workspace, now } = at
  await db.run(
    sql`update conversations set contact_id = null, counterpart = null, updated_at = ${laterUpdate(now)}
      where workspace_id = ${workspace} and id = any(${ids}::uuid[])
        and (contact_id is not null or counterpart is not null)`,
  )
  await Promise.all([events.redact(at, ids), redactAnswers(at, ids)])
}

/** There may be many, so they are closed in the background. Calls end theirs. */
async function closeSoon({ db, workspace, now }: At, agent_id: string): Promise<void> {
  await db.run(
    sql`update conversations set close_reason = 'agent_deleted', due_at = ${clock.iso(now)}
      where workspace_id = ${workspace} and agent_id = ${agent_id} and status <> 'closed' and kind <> 'voice'`,
  )
  db.notify({ topic: table, workspace })
}
