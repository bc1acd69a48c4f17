import * as counts from '../conversations/counted.ts'
import { reportProgress } from '../conversations/counted.ts'
import { event_types } from '../conversations/event-types.ts'
import { type Row, shownOf, updateReceived } from '../conversations/rows.ts'
import type { Conversation, Turn } from '../conversations/schema.ts'
import { announce, type ThreadChange, threads_changed } from '../conversations/store.ts'
import { insertTurns } from '../conversations/turns.ts'
import { answer_after_ms, waitingSince } from '../conversations/waiting.ts'
import * as events from '../events/store.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { insertMessages, messageData, type NewMessage } from './outgoing.ts'

/** The changes that a round of messages makes in one conversation. */
export interface ReceivedChange {
  before: Row
  turns: { id: string; contact_id: string | null; turn: Turn; carried?: NewMessage }[]
  awaits_answer: boolean
  closes: boolean
  /** Whether the last turn asks if the contact wants no more calls and messages. */
  asks_back?: boolean
  /** Whether the open question stays open. */
  keeps_question?: boolean
}

/** Writes the changes. Returns the conversations after them. */
export async function writeReceived(at: At, received: ReceivedChange[]): Promise<Conversation[]> {
  const turns = received.flatMap(({ turns }) => turns)
  const changed = received.map((one) => ({ ...one, after: changedBy(at, one) }))
  const closed = changed.flatMap(({ closes, after }) => (closes ? [after] : []))
  await Promise.all([
    updateConversations(at, changed),
    insertTurns(at, turns),
    insertMessages(
      at,
      turns.flatMap(({ carried }) => carried ?? []),
    ),
    reportProgress(
      at,
      changed.map(({ after, turns, closes }) => ({ conversation: after, is_closed: closes, turns: turns.length })),
    ),
    counts.count(
      at,
      closed.map(({ id, is_test }) => ({ from: statusBefore(received, id), to: 'closed' as const, is_test })),
    ),
    events.record(
      at,
      event_types.turn,
      turns.map(({ id, contact_id, turn }) => ({ data: { id, contact_id, turn } })),
    ),
    events.record(
      at,
      event_types.received,
      turns.flatMap(({ carried }) => (carried?.direction === 'inbound' ? [{ data: messageData(carried) }] : [])),
    ),
    events.record(
      at,
      event_types.closed,
      closed.map((data) => ({ data })),
    ),
  ])
  await at.hooks.run(
    at,
    threads_changed,
    changed.flatMap(({ after: { id, contact_id, kind }, turns, closes }): ThreadChange[] => {
      const has_written = turns.some(({ turn }) => turn.role === 'contact')
      return kind === 'sms' && (has_written || closes)
        ? [{ id, contact_id, what: closes ? 'opted_out' : 'replied' }]
        : []
    }),
  )
  for (const { before } of received) announce(at, before.id)
  return changed.map(({ after }) => after)
}

const statusBefore = (received: ReceivedChange[], id: string): Conversation['status'] =>
  received.find(({ before }) => before.id === id)?.before.status ?? 'open'

function changedBy({ now }: At, { before, turns, awaits_answer, closes }: ReceivedChange): Conversation {
  const status = closes ? 'closed' : before.status
  const said_at = turns.find(({ turn }) => turn.role === 'contact')?.turn.created_at
  return {
    ...shownOf(before),
    status,
    waiting_since: waitingSince(before, { status, now: clock.iso(now), said_at }),
    close_reason: closes ? 'opted_out' : before.close_reason,
    is_answering: status === 'open' && awaits_answer,
    turn_count: before.turn_count + turns.length,
    last_turn_at: clock.iso(now),
    updated_at: clock.laterThan(before.updated_at, now),
  }
}

function updateConversations(at: At, changed: (ReceivedChange & { after: Conversation })[]): Promise<void> {
  const rows = changed.map(({ before, after, awaits_answer, closes, asks_back, keeps_question }) => ({
    ...after,
    opt_out_asked_at: asks_back ? clock.iso(at.now) : before.opt_out_asked_at,
    opt_out_asked_seq: asks_back || keeps_question ? after.turn_count : before.opt_out_asked_seq,
    first_asked_at: before.first_asked_at ?? clock.iso(at.now),
    awaits_answer: awaits_answer && !closes,
    needs_summary: before.needs_summary || closes,
    due_at: clock.iso(
      at.now + (after.is_answering ? answer_after_ms({ ...after, last_answer_seq: before.last_answer_seq }) : 0),
    ),
  }))
  return updateReceived(at, rows)
}
