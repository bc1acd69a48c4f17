import type { At, InWorkspace } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { copyLine } from '../kit/postgres/copy.ts'
import { raw, sql, toArrayLiteral } from '../kit/postgres/sql.ts'
import { type Table, updaterOf } from '../kit/postgres/table.ts'
import { leaseRows, renewerOf } from '../kit/work/rows.ts'
import type { DueItem } from '../kit/work/work.ts'
import type { Report } from './status.ts'
import { countStatuses } from './status-metric.ts'

/** The table. Due work and notifications have its name, too. */
export const table = {
  name: 'messages',
  columns: {
    id: 'uuid',
    conversation_id: 'uuid',
    seq: 'integer',
    channel_id: 'uuid',
    direction: 'text',
    carrier_id: 'text',
    status: 'text',
    segments: 'integer',
    cost_micros: 'bigint',
    error: 'text',
    is_exempt: 'boolean',
    sent_at: 'timestamptz',
    created_at: 'timestamptz',
    due_at: 'timestamptz',
    lease_until: 'timestamptz',
    lease_token: 'uuid',
    attempt: 'smallint',
  },
} satisfies Table<string>

interface NewRow extends Pick<Row, 'id' | 'conversation_id' | 'seq' | 'channel_id' | 'carrier_id' | 'status'> {
  direction: 'inbound' | 'outbound'
  segments: number
  cost_micros: number | null
  is_exempt: boolean
  created_at: string
  due_at: string | null
}

const new_columns = [
  'id',
  'conversation_id',
  'seq',
  'channel_id',
  'direction',
  'carrier_id',
  'status',
  'segments',
  'cost_micros',
  'is_exempt',
  'created_at',
  'due_at',
] as const

export async function insertRows(at: At, rows: NewRow[]): Promise<void> {
  const { db, workspace } = at
  const lines = rows.map((row) => copyLine([workspace, ...new_columns.map((column) => row[column])]))
  await db.copy(table.name, ['workspace_id', ...new_columns], lines.join(''))
  countStatuses(
    at,
    rows.map(({ direction, status }) => (direction === 'inbound' ? 'received' : status)),
  )
}

/** A message that goes out, with its contact. */
export interface Row extends Report {
  id: string
  conversation_id: string
  seq: number
  channel_id: string
  carrier_id: string | null
  attempt: number
  sent_at: string | null
  created_at: string
  due_at: string | null
  lease_until: string | null
  lease_token: string | null
  contact_id: string | null
  /** Whether the agent begins the conversation with this message. */
  is_first: boolean
}

/** Locks messages that go out, in the order of their ids. */
export async function lockAll({ db, workspace }: At, ids: string[]): Promise<Map<string, Row>> {
  const rows = await db.many<Row>(
    sql`select id, conversation_id, seq, channel_id, carrier_id, status, error, attempt, sent_at, created_at, due_at,
        lease_until, lease_token,
        (select contact_id from conversations
          where conversations.workspace_id = ${workspace} and conversations.id = conversation_id) as contact_id,
        not exists (select from messages as earlier
          where earlier.workspace_id = ${workspace} and earlier.conversation_id = messages.conversation_id
            and earlier.direction = 'outbound' and earlier.seq < messages.seq) as is_first
      from messages where workspace_id = ${workspace} and direction = 'outbound'
        and id = any(${toArrayLiteral(ids)}::uuid[])
      order by id for no key update`,
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** Finds the messages whose conversation was redacted. */
export async function findRedacted({ db, workspace }: At, ids: string[]): Promise<Set<string>> {
  const rows = await db.many<{ id: string }>(
    sql`select id from messages where workspace_id = ${workspace} and id = any(${toArrayLiteral(ids)}::uuid[])
        and exists (select from conversations where conversations.workspace_id = ${workspace}
          and conversations.id = messages.conversation_id and conversations.redacted_at is not null)`,
  )
  return new Set(rows.map(({ id }) => id))
}

const updateRows = updaterOf(table)
const reported_columns = ['status', 'error', 'carrier_id', 'sent_at', 'attempt'] as const
const due_columns = ['due_at', 'lease_token', 'lease_until'] as const

/** Writes the reported state of messages, which the transaction has locked. */
export const updateReported = (at: At, rows: Row[]): Promise<void> =>
  updateRows(at, rows, [...reported_columns, ...due_columns])

export interface LeasedRow extends DueItem {
  token: string
  conversation_id: string
  channel_id: string
  is_exempt: boolean
  /** When the carrier was asked before. It is set if it is not known what has become of the message. */
  sent_at: string | null
  attempt: number
}

/** Leases due messages. Those of one conversation go out one after the other, in their order. */
export const leaseDue = (at: At, limit: number): Promise<LeasedRow[]> =>
  leaseRows(at, {
    table: table.name,
    limit,
    returning: raw('id, due_at, conversation_id, seq, channel_id, is_exempt, sent_at, attempt'),
    where: sql`and not exists (select from messages as earlier
      where earlier.workspace_id = ${at.workspace} and earlier.conversation_id = due.conversation_id
        and earlier.seq < due.seq and earlier.due_at is not null
        and (earlier.sent_at is null or earlier.lease_until > ${clock.iso(at.db.time())}))`,
  })

export const renewLeases = renewerOf(table.name)

/** Marks messages before the carrier is asked. Returns the ids of those on which this process still has the lease. */
export async function markSent({ db, workspace, now }: At, leased: LeasedRow[]): Promise<Set<string>> {
  if (leased.length === 0) return new Set()
  const marked = await db.many<{ id: string }>(
    sql`update messages set sent_at = ${clock.iso(now)}
      where workspace_id = ${workspace} and id = any(${toArrayLiteral(leased.map(({ id }) => id))}::uuid[])
        and lease_token = any(${toArrayLiteral([...new Set(leased.map(({ token }) => token))])}::uuid[])
        and carrier_id is null
      returning id`,
  )
  return new Set(marked.map(({ id }) => id))
}

/** Cancels the queued messages of these conversations, so that they are not sent. */
export async function cancelQueued(at: At, conversation_ids: string[]): Promise<void> {
  const { db, workspace } = at
  const canceled = await db.run(
    sql`update messages set status = 'failed', error = 'canceled', due_at = null, lease_token = null, lease_until = null
      where workspace_id = ${workspace} and conversation_id = any(${toArrayLiteral(conversation_ids)}::uuid[])
        and direction = 'outbound' and status = 'queued'`,
  )
  countStatuses(at, new Array(canceled).fill('failed'))
}

/** Erases reports. The carrier's ids of received messages stay, so that none is received again. */
export async function eraseReports({ db, workspace }: At, conversation_id: string): Promise<void> {
  await db.run(
    sql`update messages set error = null, carrier_id = case when direction = 'outbound' then null else carrier_id end
      where workspace_id = ${workspace} and conversation_id = ${conversation_id}`,
  )
}

/** Whether the turn went out by SMS. A turn that is no message was said in another way. */
export async function wasSent({ db, workspace }: At, { id, seq }: { id: string; seq: number }): Promise<boolean> {
  const unsent = await db.maybe<{ status: string }>(
    sql`select status from messages
      where workspace_id = ${workspace} and conversation_id = ${id} and seq = ${seq} and status in ('queued', 'failed') limit 1`,
  )
  return unsent === undefined
}

/** Counts the text messages in these conversations. */
export async function countIn({ db, workspace }: InWorkspace, conversation_ids: string[]): Promise<number> {
  const { total } = await db.one<{ total: number }>(
    sql`select count(*) as total from messages
      where workspace_id = ${workspace} and conversation_id = any(${conversation_ids}::uuid[])`,
  )
  return total
}
