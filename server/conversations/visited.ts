import type { At, InWorkspace } from '../kit/at.ts'
import { sql } from '../kit/postgres/sql.ts'
import { setCounterpart } from './rows.ts'
import type { Turn } from './schema.ts'
import { announce } from './store.ts'

/** A visitor of a web chat may see this of a turn. */
export type SeenTurn = Pick<Turn, 'seq' | 'role' | 'text' | 'created_at' | 'citations'>

/** Reads the last turns of a conversation, oldest first. They end before a turn that is not finished. */
export async function lastTurns(
  { db, workspace }: InWorkspace,
  { id, limit }: { id: string; limit: number },
): Promise<SeenTurn[]> {
  const turns = await db.many<SeenTurn>(
    sql`select seq, role, text, created_at, coalesce(citations, '[]') as citations from conversation_turns as turn
      where workspace_id = ${workspace} and conversation_id = ${id}
        and not exists (select from conversation_turns as unfinished
          where unfinished.workspace_id = ${workspace} and unfinished.conversation_id = ${id}
            and unfinished.seq <= turn.seq and unfinished.is_open)
      order by seq desc limit ${limit}`,
  )
  return turns.reverse()
}

/** Finds the contact's turn with this text after a number, if there is one. */
export const findSaid = (
  { db, workspace }: InWorkspace,
  { id, after, text }: { id: string; after: number; text: string },
): Promise<Omit<SeenTurn, 'citations'> | undefined> =>
  db.maybe(
    sql`select seq, role, text, created_at from conversation_turns
      where workspace_id = ${workspace} and conversation_id = ${id} and seq > ${after} and role = 'contact'
        and text = ${text}
      order by seq limit 1`,
  )

/** Keeps the number that the visitor has left. Returns false if there is one already, or the conversation is closed. */
export async function keepCounterpart(
  at: At,
  { id, counterpart }: { id: string; counterpart: string },
): Promise<boolean> {
  const is_kept = (await setCounterpart(at, { id, counterpart })) > 0
  if (is_kept) announce(at, id)
  return is_kept
}
