import type { CallbackRequest } from '../conversations/callbacks.ts'
import type { At } from '../kit/at.ts'
import { sql } from '../kit/postgres/sql.ts'
import { create } from './create.ts'

/** Schedules the call that an agent has promised, on the channel of the call in which it did. */
export async function scheduleCallback(at: At, request: CallbackRequest): Promise<void> {
  const { contact_id, agent_id, conversation_id, reason } = request
  const call = await at.db.maybe<{ id: string; channel_id: string | null; simulate: string | null }>(
    sql`select id, channel_id, simulate from calls
      where workspace_id = ${at.workspace} and conversation_id = ${conversation_id}`,
  )
  await create(at, {
    ...{ agent_id, contact_id, scheduled_at: request.at },
    channel_id: call?.channel_id ?? null,
    // What a simulated person was promised must not ring at the contact's telephone.
    simulate: call?.simulate ?? null,
    variables: reason === null ? {} : { callback_reason: reason },
    metadata: call ? { callback_of: call.id } : {},
  })
}
