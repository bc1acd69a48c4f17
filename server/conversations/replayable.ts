import type { At } from '../kit/at.ts'
import { sql, toArrayLiteral } from '../kit/postgres/sql.ts'
import { select } from './rows.ts'
import type { Conversation } from './schema.ts'

/** Conversations without a word of the contact are passed over. Of those with an agent that nobody answers so many are looked at. */
const looked_at_factor = 5

export type Replayable = Pick<Conversation, 'id' | 'contact_id' | 'created_at'>

/** The last closed conversations of an agent in which the contact has said something, newest first. No trials. */
export async function listReplayable(
  { db, workspace }: At,
  { agent_id, last }: { agent_id: string; last: number },
): Promise<Replayable[]> {
  const found = await select(['id', 'contact_id', 'created_at']).many(
    db,
    sql`from conversations
      where workspace_id = ${workspace} and agent_id = ${agent_id} and status = 'closed' and not is_test and redacted_at is null
      order by created_at desc, id desc limit ${last * looked_at_factor}`,
  )
  if (found.length === 0) return []
  const with_words = await db.many<{ conversation_id: string }>(
    sql`select distinct conversation_id from conversation_turns
      where workspace_id = ${workspace} and conversation_id = any(${toArrayLiteral(found.map(({ id }) => id))}::uuid[])
        and role = 'contact' and text <> ''`,
  )
  const ids = new Set(with_words.map(({ conversation_id }) => conversation_id))
  return found.filter(({ id }) => ids.has(id)).slice(0, last)
}

/**
 * Returns those of these conversations whose words are still there, with their contacts. Until the transaction ends they are not
 * redacted or deleted, and their contacts are not either.
 */
export async function shareReplayable(
  { db, workspace }: At,
  ids: string[],
): Promise<Map<string, Pick<Conversation, 'contact_id'>>> {
  const found = await select(['id', 'contact_id']).many(
    db,
    sql`from conversations
      where workspace_id = ${workspace} and id = any(${toArrayLiteral(ids)}::uuid[]) and redacted_at is null
      order by id for share`,
  )
  return new Map(found.map(({ id, contact_id }) => [id, { contact_id }]))
}
