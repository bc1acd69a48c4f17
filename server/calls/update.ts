import { memberFaults } from '../conversations/member-faults.ts'
import * as events from '../events/store.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import type { ValidRequest } from '../kit/http/operation.ts'
import * as page from '../kit/postgres/page.ts'
import { sql } from '../kit/postgres/sql.ts'
import { invalid, preconditionFailed } from '../kit/problem.ts'
import { event_types } from './event-types.ts'
import { lock, shownOf, updateMetadata } from './rows.ts'
import type { Call, CallChange, CallEvent } from './schema.ts'
import { announce, get } from './store.ts'

/** An empty change doesn't even change `updated_at`. */
export async function update(
  at: At,
  { id, change, isCurrent }: { id: string; change: CallChange; isCurrent: ValidRequest['isCurrent'] },
): Promise<Call> {
  const before = shownOf(await lock(at, id))
  if (!isCurrent(before)) throw preconditionFailed()
  const faults = memberFaults(change)
  if (faults.length > 0) throw invalid(faults)
  const { metadata } = change
  if (metadata === undefined) return before
  const updated_at = clock.laterThan(before.updated_at, at.now)
  const after: Call = { ...before, metadata, updated_at }
  await Promise.all([
    updateMetadata(at, after),
    events.record(at, event_types.updated, [{ data: after, previous: { metadata: before.metadata } }]),
  ])
  announce(at, after)
  return after
}

/** What happened on the line, oldest first. */
export async function listEvents(
  at: At,
  { id, query }: { id: string; query: page.PageQuery },
): Promise<page.Page<CallEvent>> {
  const { db, workspace } = at
  await get(at, id)
  const selection = sql`select seq, kind, at, source, call_id as id from call_events
    where workspace_id = ${workspace} and call_id = ${id}`
  return page.readSelection<CallEvent & { id: string }>(db, query, by_seq, selection)
}

const by_seq: page.Sort = { name: 'seq', column: 'seq', is_descending: false, is_nullable: false, is_ordinal: true }
