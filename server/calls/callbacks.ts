import type { CallbackRequest } from '../drivers/callbacks.ts'
import type { At } from '../kit/at.ts'
import { sql } from '../kit/postgres/sql.ts'
import { create } from './create.ts'
import { select } from './rows.ts'

/** Schedules the call that an agent has promised, on the channel of the call in which it did. */
export async function scheduleCallback(at: At, request: CallbackRequest): Promise<void> {
  const { contact_id, agent_id, conversation_id, reason } = request
  const call = await select(['id', 'channel_id', 'campaign_id', 'simulate']).maybe(
    at.db,
    sql`from calls where workspace_id = ${at.workspace} and conversation_id = ${conversation_id}`,
  )
  // The campaign calls back by its own rules.
  if (call?.campaign_id) return
  await create(at, {
    agent_id,
    contact_id,
    scheduled_at: request.at,
    keeps_quiet_hours: true,
    channel_id: call?.channel_id ?? null,
    // What a simulated person was promised must not ring at the contact's telephone.
    simulate: call?.simulate ?? null,
    variables: reason === null ? {} : { callback_reason: reason },
    metadata: call ? { callback_of: call.id } : {},
  })
}
