import { stamp } from '../contacts/rows.ts'
import { event_types } from '../conversations/event-types.ts'
import { announce, type ThreadChange, threads_changed } from '../conversations/store.ts'
import * as events from '../events/store.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { sql, toArrayLiteral } from '../kit/postgres/sql.ts'
import { findRedacted, lockAll, type Row, updateReported } from './rows.ts'
import { type Milestone, merge, newMilestones, type Report } from './status.ts'
import { countStatuses } from './status-metric.ts'

/** The state of a message, from the carrier's answer or from a report that it sent. */
export interface MessageReport extends Partial<Report> {
  id: string
  carrier_id?: string | undefined
  /** The channel that has brought the report. It has no effect on messages of other channels. */
  channel_id?: string
  /**
   * The messages of the carrier with the same text. The first that belongs to no other message is this one, and the
   * rest doesn't count.
   */
  found?: CarrierMessage[]
  /** When to go on, if the message was certainly not sent or it is not known: it is tried or looked up at this time. */
  retry?: { due_at: number; token: string; is_unsent: boolean; attempt: number }
}

interface CarrierMessage extends Report {
  carrier_id: string
}

/** Reports may come in any order and more than once: the row is then the same. */
export async function record(at: At, reports: MessageReport[]): Promise<void> {
  const ids = [...new Set(reports.map(({ id }) => id))]
  // Both statements are sent together, and the second sees what was committed before the rows were locked.
  const [rows, redacted] = await Promise.all([lockAll(at, ids), findRedacted(at, ids)])
  const owners = await ownersOf(at, { rows: [...rows.values()], reports })
  const changes = reports.flatMap((report) => {
    const before = rows.get(report.id)
    if (!before || (report.channel_id ?? before.channel_id) !== before.channel_id) return []
    const after = apply(before, identified(before, report, owners))
    rows.set(report.id, after)
    if (after.carrier_id !== null) owners.set(carrierKey(after.channel_id, after.carrier_id), after.id)
    const was_sent = redacted.has(before.id) && before.due_at === null
    const milestones = newMilestones(before, after).filter((milestone) => milestone !== 'sent' || !was_sent)
    return [{ before, after, milestones }]
  })
  // The carrier's id, which was erased with the conversation, is not stored again.
  const toWrite = (row: Row): Row => (redacted.has(row.id) ? { ...row, carrier_id: null } : row)
  const happened = (name: Milestone) =>
    changes.flatMap(({ after, milestones }) => (milestones.includes(name) ? [{ data: dataOf(after) }] : []))
  await Promise.all([
    updateReported(at, [...rows.values()].map(toWrite)),
    events.record(at, event_types.sent, happened('sent')),
    events.record(at, event_types.delivered, happened('delivered')),
    events.record(at, event_types.failed, happened('failed')),
    stamp(
      at,
      changes.flatMap(({ after: { contact_id, sent_at, created_at }, milestones }) =>
        contact_id !== null && milestones.includes('sent')
          ? [{ contact_id, at: clock.parse(sent_at ?? created_at) }]
          : [],
      ),
    ),
  ])
  await at.hooks.run(
    at,
    threads_changed,
    changes.flatMap(({ after: { conversation_id: id, status, is_first }, milestones }): ThreadChange[] => {
      if (!is_first) return []
      if (milestones.includes('failed')) return [{ id, what: status === 'unknown' ? 'unknown' : 'failed' }]
      return milestones.length > 0 ? [{ id, what: 'sent' }] : []
    }),
  )
  countStatuses(
    at,
    changes.flatMap(({ before, after }) => (after.status === before.status ? [] : [after.status])),
  )
  for (const { after } of changes) announce(at, after.conversation_id)
}

const dataOf = ({ id, conversation_id, seq, status, error }: Row) => ({ id, conversation_id, seq, status, error })

/** Finds the messages to which the carrier's ids belong already. */
async function ownersOf(
  { db, workspace }: At,
  { rows, reports }: { rows: Row[]; reports: MessageReport[] },
): Promise<Map<string, string>> {
  const carrier_ids = reports.flatMap(({ carrier_id, found = [] }) => [
    ...(carrier_id === undefined ? [] : [carrier_id]),
    ...found.map(({ carrier_id }) => carrier_id),
  ])
  if (carrier_ids.length === 0) return new Map()
  const known = await db.many<{ id: string; channel_id: string; carrier_id: string }>(
    sql`select id, channel_id, carrier_id from messages
      where workspace_id = ${workspace} and carrier_id = any(${carrier_ids}::text[])
        and channel_id = any(${toArrayLiteral([...new Set(rows.map(({ channel_id }) => channel_id))])}::uuid[])`,
  )
  return new Map(known.map(({ id, channel_id, carrier_id }) => [carrierKey(channel_id, carrier_id), id]))
}

const carrierKey = (channel_id: string, carrier_id: string): string => `${channel_id} ${carrier_id}`

/**
 * Identifies a message. Two messages with the same text can't be told apart by asking the carrier, so an id may belong
 * to the other one already.
 */
function identified({ id, channel_id }: Row, report: MessageReport, owners: Map<string, string>): MessageReport {
  const isFree = (carrier_id: string) => (owners.get(carrierKey(channel_id, carrier_id)) ?? id) === id
  const { found, carrier_id, ...rest } = report
  const own = found?.find(({ carrier_id }) => isFree(carrier_id))
  if (own) return { id, ...own }
  return { ...rest, carrier_id: carrier_id !== undefined && isFree(carrier_id) ? carrier_id : undefined }
}

const unleased = { lease_token: null, lease_until: null }

function apply(before: Row, { status, error = null, carrier_id, retry }: MessageReport): Row {
  const merged = status ? merge(before, { status, error }) : before
  const after = {
    ...before,
    status: merged.status,
    error: merged.error,
    carrier_id: before.carrier_id ?? carrier_id ?? null,
  }
  const is_settled = after.status !== 'queued' || after.carrier_id !== null
  if (is_settled) return { ...after, ...unleased, due_at: null }
  // Without its lease, the report must not queue the message again: another process may have begun to send it.
  if (!retry || before.lease_token !== retry.token) return after
  return {
    ...after,
    ...unleased,
    due_at: clock.iso(retry.due_at),
    sent_at: retry.is_unsent ? null : after.sent_at,
    attempt: retry.attempt,
  }
}
