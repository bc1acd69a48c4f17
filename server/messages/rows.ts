import type { At } from '../kit/at.ts'
import { copyLine } from '../kit/postgres/copy.ts'
import { sql, toArrayLiteral } from '../kit/postgres/sql.ts'
import { type Table, updaterOf } from '../kit/postgres/table.ts'
import type { Report } from './status.ts'

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

export async function insertRows({ db, workspace }: At, rows: NewRow[]): Promise<void> {
  const lines = rows.map((row) => copyLine([workspace, ...new_columns.map((column) => row[column])]))
  await db.copy(table.name, ['workspace_id', ...new_columns], lines.join(''))
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
  /** The agent begins the conversation with this message. */
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

/** Those whose conversation was redacted. */
export async function findRedacted({ db, workspace }: At, ids: string[]): Promise<Set<string>> {
  const rows = await db.many<{ id: string }>(
    sql`select id from messages where workspace_id = ${workspace} and id = any(${toArrayLiteral(ids)}::uuid[])
        and exists (select from conversations where conversations.workspace_id = ${workspace}
          and conversations.id = messages.conversation_id and conversations.redacted_at is not null)`,
  )
  return new Set(rows.map(({ id }) => id))
}

/** Writes these columns of messages that the transaction has locked. */
export const updateRows = updaterOf(table)
