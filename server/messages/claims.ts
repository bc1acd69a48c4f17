import type { At } from '../kit/at.ts'
import { sql, toArrayLiteral } from '../kit/postgres/sql.ts'
import { dueRows } from '../kit/work/rows.ts'
import { type LeasedRow, leaseDue, table } from './rows.ts'

export const due_messages = dueRows(table.name)

/** A message that this process is to send, or whose fate it is to find out. */
export interface ClaimedMessage extends LeasedRow {
  /** The number. It is null after the contact was deleted or the conversation redacted. */
  to: string | null
  text: string
}

export async function claim(at: At, { slots }: { slots: number }): Promise<ClaimedMessage[]> {
  const leased = await leaseDue(at, slots)
  const texts = await textsOf(at, leased)
  return leased.map((message) => ({ to: null, text: '', ...message, ...texts.get(message.id) }))
}

async function textsOf({ db, workspace }: At, leased: LeasedRow[]) {
  const found = await db.many<{ id: string; text: string; to: string | null }>(
    sql`select message.id, turn.text, conversation.counterpart as to from messages as message
      join conversations as conversation on conversation.workspace_id = ${workspace}
        and conversation.id = message.conversation_id
      join conversation_turns as turn on turn.workspace_id = ${workspace}
        and turn.conversation_id = message.conversation_id and turn.seq = message.seq
      where message.workspace_id = ${workspace} and message.id = any(${toArrayLiteral(leased.map(({ id }) => id))}::uuid[])`,
  )
  return new Map(found.map(({ id, ...parts }) => [id, parts]))
}
