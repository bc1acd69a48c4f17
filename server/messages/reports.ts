import { stamp } from '../contacts/stamps.ts'
import { event_types } from '../conversations/event-types.ts'
import { announce } from '../conversations/store.ts'
import { type ThreadChange, threads_changed } from '../conversations/threads.ts'
import * as events from '../events/store.ts'
import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { rowsFrom, sql, toArrayLiteral } from '../kit/postgres/sql.ts'
import { type Milestone, merge, newMilestones, type Report } from './status.ts'

/** What is known of a message, from the carrier's answer or from a report that it sent. */
export interface MessageReport extends Partial<Report> {
  id: string
  carrier_id?: string | undefined
  /** The channel that has brought the report. It has no effect on messages of others. */
  channel_id?: string
  /** What the carrier has with the same text. The first that belongs to no other message is this one, and the rest doesn't count. */
  found?: CarrierMessage[]
  /** The message was certainly not sent, or it is not known: it is tried or looked up at this time. */
  retry?: { due_at: number; token: string; is_unsent: boolean; attempt: number }
}

interface CarrierMessage extends Report {
  carrier_id: string
}

interface Row extends Report {
  id: string
  conversation_id: string
  seq: number
  channel_id: string
  carrier_id: string | null
  attempt: number
  sent_at: string | null
  created_at: string
  due_at: string | null
  lease_token: string | null
  contact_id: string | null
  /** The carrier's id was erased with the conversation, and is not stored again. */
  is_redacted: boolean
  /** The agent begins the conversation with this message. */
  is_first: boolean
}

/** Reports may come in any order and more than once: the row is then the same. */
export async function record(at: At, reports: MessageReport[]): Promise<void> {
  const rows = await lockAll(at, reports)
  const owners = await ownersOf(at, { rows: [...rows.values()], reports })
  const changes = reports.flatMap((report) => {
    const before = rows.get(report.id)
    if (!before || (report.channel_id ?? before.channel_id) !== before.channel_id) return []
    const after = apply(before, identified(before, report, owners))
    rows.set(report.id, after)
    if (after.carrier_id !== null) owners.set(carrierKey(after.channel_id, after.carrier_id), after.id)
    const was_sent = before.is_redacted && before.due_at === null
    const milestones = newMilestones(before, after).filter((milestone) => milestone !== 'sent' || !was_sent)
    return [{ before, after, milestones }]
  })
  const happened = (name: Milestone) =>
    changes.flatMap(({ after, milestones }) => (milestones.includes(name) ? [{ data: dataOf(after) }] : []))
  await Promise.all([
    updateRows(at, [...rows.values()]),
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
  for (const { after } of changes) announce(at, after.conversation_id)
}

/** A condition on `messages`. */
const isRedacted = (workspace: string) => sql`exists (select from conversations
  where conversations.workspace_id = ${workspace} and conversations.id = messages.conversation_id
    and conversations.redacted_at is not null)`

const dataOf = ({ id, conversation_id, seq, status, error }: Row) => ({ id, conversation_id, seq, status, error })

async function lockAll({ db, workspace }: At, reports: MessageReport[]): Promise<Map<string, Row>> {
  const rows = await db.many<Row>(
    sql`select id, conversation_id, seq, channel_id, carrier_id, status, error, attempt, sent_at, created_at, due_at, lease_token,
        (select contact_id from conversations
          where conversations.workspace_id = ${workspace} and conversations.id = conversation_id) as contact_id,
        ${isRedacted(workspace)} as is_redacted,
        not exists (select from messages as earlier
          where earlier.workspace_id = ${workspace} and earlier.conversation_id = messages.conversation_id
            and earlier.direction = 'outbound' and earlier.seq < messages.seq) as is_first
      from messages where workspace_id = ${workspace} and direction = 'outbound'
        and id = any(${toArrayLiteral([...new Set(reports.map(({ id }) => id))])}::uuid[])
      order by id for no key update`,
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** The messages that the carrier's ids belong to already. */
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

/** Two messages with the same text can't be told apart by asking the carrier, so an id may belong to the other one already. */
function identified({ id, channel_id }: Row, report: MessageReport, owners: Map<string, string>): MessageReport {
  const isFree = (carrier_id: string) => (owners.get(carrierKey(channel_id, carrier_id)) ?? id) === id
  const { found, carrier_id, ...rest } = report
  const own = found?.find(({ carrier_id }) => isFree(carrier_id))
  if (own) return { id, ...own }
  return { ...rest, carrier_id: carrier_id !== undefined && isFree(carrier_id) ? carrier_id : undefined }
}

function apply(before: Row, { status, error = null, carrier_id, retry }: MessageReport): Row {
  const merged = status ? merge(before, { status, error }) : before
  const after = {
    ...before,
    status: merged.status,
    error: merged.error,
    carrier_id: before.carrier_id ?? carrier_id ?? null,
  }
  const is_settled = after.status !== 'queued' || after.carrier_id !== null
  if (is_settled) return { ...after, due_at: null, lease_token: null }
  // Another process may have begun to send it.
  if (!retry || before.lease_token !== retry.token) return after
  return {
    ...after,
    due_at: clock.iso(retry.due_at),
    lease_token: null,
    sent_at: retry.is_unsent ? null : after.sent_at,
    attempt: retry.attempt,
  }
}

async function updateRows({ db, workspace }: At, rows: Row[]): Promise<void> {
  if (rows.length === 0) return
  await db.run(
    sql`update messages set status = row.status, error = row.error, sent_at = row.sent_at,
        carrier_id = case when ${isRedacted(workspace)} then null else row.carrier_id end,
        due_at = row.due_at, lease_token = row.lease_token, attempt = row.attempt,
        lease_until = case when row.lease_token is null then null else messages.lease_until end
      from ${rowsFrom(
        rows,
        `id uuid, status text, error text, carrier_id text, sent_at timestamptz, due_at timestamptz,
          lease_token uuid, attempt smallint`,
      )}
      where messages.workspace_id = ${workspace} and messages.id = row.id`,
  )
}
