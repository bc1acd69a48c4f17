import * as agents from '../agents/store.ts'
import { changed } from '../calls/store.ts'
import * as contacts from '../contacts/store.ts'
import { zones_changed } from '../contacts/zones.ts'
import { threads_changed } from '../conversations/store.ts'
import { callback_requested } from '../drivers/callbacks.ts'
import { type At, on, type Reaction } from '../kit/at.ts'
import { named, namesIn } from '../kit/postgres/names.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import type { Use } from '../kit/problem.ts'
import { findingDelays } from '../messages/permits.ts'
import * as workspaces from '../workspaces/store.ts'
import { count } from './counts.ts'
import { endAttempts, followCalls, followThreads, keepCallback } from './dial/ends.ts'
import { reviewContacts } from './enrollment-batches.ts'
import { deleteOfContacts } from './enrollment-rows.ts'
import { attempting_statuses } from './enrollment-status.ts'
import { reviewAll, wakeAt } from './rows.ts'
import { keepHours } from './sending-hours.ts'

export const reactions: Reaction[] = [
  named('campaign', namesIn(raw('campaigns'), raw('name'))),
  on(agents.findingUses, (at, { agent_id }) => findUsing(at, agent_id)),
  on(contacts.deleted, removeEnrollments),
  on(zones_changed, (at, changed) =>
    reviewContacts(
      at,
      changed.map(({ id }) => id),
    ),
  ),
  on(workspaces.quiet_hours_changed, reviewAll),
  on(changed, followCalls),
  on(threads_changed, followThreads),
  on(callback_requested, keepCallback),
  on(findingDelays, keepHours),
]

/**
 * Finds the campaigns that use an agent. Whoever writes an agent's id into a campaign locks the workspace, as the
 * agent's deletion does.
 */
const findUsing = ({ db, workspace }: At, agent_id: string): Promise<Use[]> =>
  db.many<Use>(
    sql`select 'campaign' as kind, id from campaigns
      where workspace_id = ${workspace} and agent_id = ${agent_id} and status not in ('completed', 'canceled') order by id`,
  )

/**
 * Removes the enrollments of deleted contacts. A call in progress goes on without its enrollment, and a message is not
 * followed any more.
 */
async function removeEnrollments(at: At, deleted: contacts.DeletedContact[]): Promise<void> {
  const { now } = at
  const removed = await deleteOfContacts(
    at,
    deleted.map(({ id }) => id),
  )
  // The campaigns are locked before anything is counted, as the dialer does.
  await wakeAt(
    at,
    removed.map(({ campaign_id }) => ({ campaign_id, time: now })),
  )
  await count(
    at,
    removed.map(({ campaign_id, status }) => ({ campaign_id, counted: 'status' as const, from: status, to: null })),
  )
  await endAttempts(
    at,
    removed.flatMap(({ campaign_id, status, last_conversation_id: id }) =>
      id !== null && attempting_statuses.includes(status)
        ? [{ id, campaign_id, outcome: 'canceled', ended_at: now, is_opt_out: false }]
        : [],
    ),
    'last_conversation_id',
  )
}
