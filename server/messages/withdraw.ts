import { close } from '../conversations/people.ts'
import { lockAll } from '../conversations/rows.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { sql, toArrayLiteral } from '../kit/postgres/sql.ts'
import { cancelQueued } from './rows.ts'

/** Locks conversations by SMS, and returns those in which no message is being sent or was sent. */
export async function findUnsent(at: At, ids: string[]): Promise<string[]> {
  const { db, workspace } = at
  await lockAll(at, ids)
  const messages = await db.many<{ conversation_id: string; is_sent: boolean }>(
    sql`select conversation_id, sent_at is not null as is_sent from messages
      where workspace_id = ${workspace} and conversation_id = any(${toArrayLiteral(ids)}::uuid[])
      order by id for no key update`,
  )
  const sent = new Set(messages.flatMap(({ conversation_id, is_sent }) => (is_sent ? [conversation_id] : [])))
  return ids.filter((id) => !sent.has(id))
}

/** Closes these conversations, and cancels their queued messages. */
export async function withdraw(at: At, ids: string[]): Promise<void> {
  await cancelQueued(at, ids)
  await closeOpen(at, ids)
}

/** Returns those of the conversations in which the agent has written something that was sent or is going to be. */
export async function findWritten({ db, workspace }: At, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const written = await db.many<{ conversation_id: string }>(
    sql`select distinct conversation_id from messages
      where workspace_id = ${workspace} and conversation_id = any(${toArrayLiteral(ids)}::uuid[])
        and direction = 'outbound'`,
  )
  return new Set(written.map(({ conversation_id }) => conversation_id))
}

/** Closes those of the conversations that are open. */
export async function closeOpen(at: At, ids: string[]): Promise<void> {
  for (const { id, status } of (await lockAll(at, ids)).values())
    if (status !== 'closed') await close(at, { id, reason: 'api' })
}

/** Returns those of the conversations in which a carrier is being asked to send a message. */
export async function findSending({ db, workspace }: At, ids: string[]): Promise<string[]> {
  const sending = await db.many<{ conversation_id: string }>(
    sql`select distinct conversation_id from messages
      where workspace_id = ${workspace} and conversation_id = any(${toArrayLiteral(ids)}::uuid[])
        and direction = 'outbound' and status = 'queued' and sent_at is not null
        and lease_until > ${clock.iso(db.time())}`,
  )
  return sending.map(({ conversation_id }) => conversation_id)
}
