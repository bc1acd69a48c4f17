import { randomUUID } from 'node:crypto'
import type { At, InWorkspace } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { sql, toArrayLiteral } from '../kit/postgres/sql.ts'
import { leaseEnd } from '../kit/work/lease.ts'
import { dueRows } from '../kit/work/rows.ts'
import type { DueItem } from '../kit/work/work.ts'
import { table } from './outgoing.ts'

export const due_messages = dueRows(table)

/** A message that this process is to send, or whose fate it is to find out. */
export interface ClaimedMessage extends DueItem {
  token: string
  conversation_id: string
  channel_id: string
  is_exempt: boolean
  /** Set when the carrier was asked before, and it is not known what has become of it. */
  sent_at: string | null
  attempt: number
  /** Null after the contact was deleted or the conversation redacted. */
  to: string | null
  text: string
}

/** Leases due messages. Those of one conversation go out one after the other, in their order. */
export async function claim({ db, workspace, now }: At, { slots }: { slots: number }): Promise<ClaimedMessage[]> {
  const time = clock.iso(db.time())
  const token = randomUUID()
  const claimed = await db.many<ClaimedMessage>(
    sql`update messages
      set lease_token = ${token}, lease_until = ${leaseEnd(db)}, attempt = least(attempt, 100) + 1
      where workspace_id = ${workspace} and id = any(array(
        select id from messages as due
        where workspace_id = ${workspace} and due_at <= ${clock.iso(now)}
          and (lease_until is null or lease_until <= ${time})
          and not exists (select from messages as earlier
            where earlier.workspace_id = ${workspace} and earlier.conversation_id = due.conversation_id
              and earlier.seq < due.seq and earlier.due_at is not null
              and (earlier.sent_at is null or earlier.lease_until > ${time}))
        order by due_at, id limit ${slots} for no key update skip locked))
      returning id, due_at, conversation_id, seq, channel_id, is_exempt, sent_at, attempt`,
  )
  const texts = await textsOf({ db, workspace }, claimed)
  return claimed.map((message) => ({ ...message, token, to: null, text: '', ...texts.get(message.id) }))
}

async function textsOf({ db, workspace }: InWorkspace, claimed: { id: string }[]) {
  const found = await db.many<{ id: string; text: string; to: string | null }>(
    sql`select message.id, turn.text, conversation.counterpart as to from messages as message
      join conversations as conversation on conversation.workspace_id = ${workspace}
        and conversation.id = message.conversation_id
      join conversation_turns as turn on turn.workspace_id = ${workspace}
        and turn.conversation_id = message.conversation_id and turn.seq = message.seq
      where message.workspace_id = ${workspace} and message.id = any(${toArrayLiteral(claimed.map(({ id }) => id))}::uuid[])`,
  )
  return new Map(found.map(({ id, ...parts }) => [id, parts]))
}

export const renew = ({ db, workspace }: InWorkspace, claimed: ClaimedMessage[]): Promise<number> =>
  db.run(
    sql`update messages set lease_until = ${leaseEnd(db)}
      where workspace_id = ${workspace} and id = any(${toArrayLiteral(claimed.map(({ id }) => id))}::uuid[])
        and lease_token = any(${toArrayLiteral([...new Set(claimed.map(({ token }) => token))])}::uuid[])`,
  )

/** Written before the carrier is asked. Returns the ids of those that this process still has the lease of. */
export async function markSent({ db, workspace, now }: At, messages: ClaimedMessage[]): Promise<Set<string>> {
  if (messages.length === 0) return new Set()
  const marked = await db.many<{ id: string }>(
    sql`update messages set sent_at = ${clock.iso(now)}
      where workspace_id = ${workspace} and id = any(${toArrayLiteral(messages.map(({ id }) => id))}::uuid[])
        and lease_token = any(${toArrayLiteral([...new Set(messages.map(({ token }) => token))])}::uuid[])
        and carrier_id is null
      returning id`,
  )
  return new Set(marked.map(({ id }) => id))
}
