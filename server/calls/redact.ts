import { redact as redactConversation } from '../conversations/redact.ts'
import * as events from '../events/store.ts'
import type { At } from '../kit/at.ts'
import { redactAnswers } from '../kit/http/idempotency.ts'
import { sql } from '../kit/postgres/sql.ts'
import { invalidState } from '../kit/problem.ts'
import { cancelUnstarted, isUnstarted } from './end.ts'
import { eraseRecording } from './erase-recording.ts'
import { eraseRow, lock } from './rows.ts'
import { type Call, final_statuses } from './schema.ts'
import * as calls from './store.ts'

/** Erases what was said, the numbers and the audio. A call that was not dialled yet is canceled before. */
export async function redact(at: At, { id, by }: { id: string; by: 'human' | 'system' }): Promise<Call> {
  // The conversation is locked before the call, as when the conversation is redacted.
  const known = await calls.get(at, id)
  // A call without one may get it meanwhile, unless it is locked.
  const { conversation_id } = known.conversation_id === null ? await lock(at, id) : known
  if (conversation_id === null) await erase(at, { id, by })
  else await redactConversation(at, { id: conversation_id, reason: by === 'human' ? 'human_ended' : 'api' })
  return calls.get(at, id)
}

/** The call of a conversation that is redacted, if it has one. */
export async function redactCallOf(at: At, conversation_id: string): Promise<void> {
  const { db, workspace } = at
  const found = await db.many<{ id: string }>(
    sql`select id from calls where workspace_id = ${workspace} and conversation_id = ${conversation_id}`,
  )
  for (const { id } of found) await erase(at, { id, by: 'system' })
}

async function erase(at: At, { id, by }: { id: string; by: 'human' | 'system' }): Promise<void> {
  const before = await lock(at, id)
  if (isUnstarted(at, before)) await cancelUnstarted(at, [before], by)
  else if (!final_statuses.includes(before.status))
    throw invalidState('A call that is not over can not be redacted. End it first.', { status: before.status })
  await eraseRecording(at, { id, by })
  await Promise.all([eraseRow(at, id), events.redact(at, [id]), redactAnswers(at, [id])])
  calls.announce(at, before)
}
