import * as agents from '../agents/store.ts'
import * as channels from '../channels/store.ts'
import { nameByContact } from '../contacts/names.ts'
import * as contacts from '../contacts/store.ts'
import { redacting } from '../conversations/erase.ts'
import { call_changed } from '../conversations/people.ts'
import { unlinkCalls } from '../conversations/reactions.ts'
import { type CallbackRequest, callback_requested } from '../drivers/callbacks.ts'
import * as events from '../events/store.ts'
import { type At, type InWorkspace, on, type Reaction } from '../kit/at.ts'
import { redactAnswers } from '../kit/http/idempotency.ts'
import { named } from '../kit/postgres/names.ts'
import { type Sql, sql } from '../kit/postgres/sql.ts'
import { create } from './change/create.ts'
import { cancelUnstarted, isUnstarted } from './change/end.ts'
import { redactCallOf } from './erase.ts'
import { endSoon, findOnLine, lockMany, select, setDue, unlinkRows } from './rows.ts'
import { announce, announceRequest, table } from './store.ts'

/** At most this many calls are canceled at once, and more in the background. */
const canceled_at_once_max = 1_000

export const reactions: Reaction[] = [
  named('call', readNames),
  on(contacts.deleted, unlinkContacts),
  on(agents.deleted, endCalls),
  // A channel with open calls can't be deleted: people on the line would hear the carrier's error when it asks what is
  // next.
  on(channels.findingUses, (at, { channel_id }) => findOnLine(at, channel_id)),
  on(call_changed, continueCall),
  on(callback_requested, scheduleCallback),
  on(redacting, async (at, { id, kind }) => {
    if (kind === 'voice') await redactCallOf(at, id)
  }),
]

/**
 * Calls stay when their contacts are deleted, without a link and without the number. Those that were not dialled yet are
 * canceled: there is no number to dial any more. Copies with the number are reduced to ids.
 */
async function unlinkContacts(at: At, deleted: contacts.DeletedContact[]): Promise<void> {
  const numbers = deleted.map(({ phone_number }) => phone_number)
  const with_contacts = sql`(contact_id = any(${deleted.map(({ id }) => id)}::uuid[])
    or (to_number = any(${numbers}::text[]) and contact_id is null))`
  await cancelSome(at, with_contacts)
  const unlinked = await unlinkRows(at, { deleted, where: with_contacts })
  if (unlinked.length === 0) return
  const ids = unlinked.map(({ id }) => id)
  const conversation_ids = unlinked.flatMap(({ conversation_id }) => conversation_id ?? [])
  await Promise.all([events.redact(at, ids), redactAnswers(at, ids), unlinkCalls(at, conversation_ids)])
  for (const call of unlinked) announce(at, call)
}

/** Calls that were not dialled yet are canceled. The processes that drive the others end them. */
async function endCalls(at: At, agent_id: string): Promise<void> {
  const { db, workspace } = at
  await cancelSome(at, sql`agent_id = ${agent_id}`)
  await endSoon(at, agent_id)
  db.notify({ topic: table, workspace })
}

async function cancelSome(at: At, where: Sql): Promise<void> {
  const unstarted = await lockMany(at, {
    where: sql`status in ('scheduled', 'queued') and ${where}`,
    limit: canceled_at_once_max,
  })
  await cancelUnstarted(
    at,
    unstarted.filter((call) => isUnstarted(at, call)),
    'system',
  )
}

/**
 * The process that drives the call looks at its conversation. In a test workspace, where the clock stands still, the
 * call is due now.
 */
async function continueCall(at: At, { conversation_id }: { conversation_id: string }): Promise<void> {
  for (const call of await setDue(at, conversation_id)) announceRequest(at, call)
}

async function readNames(at: InWorkspace, ids: string[]) {
  const calls = await select(['id', 'contact_id']).many(
    at.db,
    sql`from calls where workspace_id = ${at.workspace} and id = any(${ids}::uuid[])`,
  )
  return nameByContact(at, calls)
}

/** Schedules the call that an agent has promised, on the channel of the call in which it did. */
async function scheduleCallback(at: At, request: CallbackRequest): Promise<void> {
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
