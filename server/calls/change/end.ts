import * as events from '../../events/store.ts'
import type { At } from '../../kit/at.ts'
import * as clock from '../../kit/clock.ts'
import { copyLine } from '../../kit/postgres/copy.ts'
import { invalidState } from '../../kit/problem.ts'
import { event_types } from '../event-types.ts'
import { endedFact, merge, summarize, toEvents } from '../facts.ts'
import { type LockedCall, lock, type Request, shownOf, updateEnded, updateRequest } from '../rows.ts'
import type { Call, Ender, EndReason, Status } from '../schema.ts'
import { announce, announceRequest, changed, countEnded, written } from '../store.ts'
import * as counts from './counts.ts'

/** Cancels a call that nobody has answered. A call that was not dialled yet is over at once. */
export async function cancel(at: At, id: string): Promise<Call> {
  const call = await lock(at, id)
  assertStatus(call, ['scheduled', 'queued', 'ringing'], 'This call was answered: hang up instead.')
  if (!isUnstarted(at, call)) return ask(at, call, 'cancel')
  const [canceled = call] = await cancelUnstarted(at, [call], 'human')
  return canceled
}

/** Ends a call that was answered. */
export async function hangUp(at: At, id: string): Promise<Call> {
  const call = await lock(at, id)
  // A caller is connected as soon as a process has the call, and it is written a little later that this is the answer.
  const is_connected = call.direction === 'inbound' && call.ended_at === null && isLeased(at, call)
  if (!is_connected) assertStatus(call, ['in_progress'], 'Nobody has answered this call yet: cancel it instead.')
  return ask(at, call, 'hang_up')
}

function assertStatus({ status, ended_at }: Call, allowed: Status[], message: string): void {
  if (!allowed.includes(status)) throw invalidState(ended_at === null ? message : 'This call is over.', { status })
}

/** Asks the process that drives the call to end it. If none does, the next one does so at once. The call is locked. */
export async function ask(at: At, call: LockedCall, request: Request): Promise<Call> {
  const due_at = isLeased(at, call) ? call.due_at : clock.iso(at.now)
  await updateRequest(at, { id: call.id, request, due_at })
  announceRequest(at, call)
  return shownOf(call)
}

/** Whether no process has begun to dial. */
export const isUnstarted = (at: At, call: LockedCall): boolean =>
  (call.status === 'scheduled' || call.status === 'queued') && call.started_at === null && !isLeased(at, call)

const isLeased = ({ db }: At, { lease_until }: LockedCall): boolean =>
  lease_until !== null && clock.parse(lease_until) > db.time()

/** Ends calls that no process has begun to dial. The transaction has locked them. */
export const cancelUnstarted = (at: At, calls: LockedCall[], by: Ender): Promise<Call[]> =>
  endUnstarted(at, calls, { end_reason: 'canceled', ended_by: by })

/** Ends calls that were not dialled. The transaction has locked or inserted them. */
export async function endUnstarted(
  at: At,
  calls: LockedCall[],
  end: { end_reason: EndReason; ended_by: Ender },
): Promise<Call[]> {
  if (calls.length === 0) return []
  const { now } = at
  const ended = endedFact(now, end.end_reason, end.ended_by)
  const changes = calls.map((before) => {
    const facts = merge(before.facts, [ended])
    const updated_at = clock.laterThan(before.updated_at, now)
    return { before, facts, after: { ...shownOf(before), ...summarize(facts), updated_at } }
  })
  const rows = changes.map(({ after, facts }) => ({ ...after, facts, request: null, due_at: null }))
  await Promise.all([
    updateEnded(at, rows),
    at.hooks.run(at, written, changes),
    insertEvents(
      at,
      changes.flatMap(({ before, facts }) =>
        toEvents(facts, before.facts).map((event) => ({ ...event, call_id: before.id })),
      ),
    ),
    counts.count(
      at,
      changes.map(({ before, after }) => ({ from: before.status, to: after.status })),
    ),
    events.record(
      at,
      event_types.ended,
      changes.map(({ after }) => ({ data: after })),
    ),
  ])
  const never = { is_answered_now: false, refined_from: null, is_opt_out: false }
  await at.hooks.run(
    at,
    changed,
    changes.map(({ after }) => ({ call: after, is_ended_now: true, ...never })),
  )
  countEnded(
    at,
    changes.map(({ after }) => after),
  )
  for (const { after } of changes) announce(at, after)
  return changes.map(({ after }) => after)
}

type EventOf = ReturnType<typeof toEvents>[number] & { call_id: string }

/** Writes what happened on the line. The calls are locked, so the numbers are free. */
export async function insertEvents({ db, workspace }: At, all: EventOf[]): Promise<void> {
  if (all.length === 0) return
  const lines = all.map(({ call_id, seq, dedupe_key, kind, at, source }) =>
    copyLine([workspace, call_id, seq, dedupe_key, kind, at, source]),
  )
  await db.copy('call_events', event_columns, lines.join(''))
}

const event_columns = ['workspace_id', 'call_id', 'seq', 'dedupe_key', 'kind', 'at', 'source']
