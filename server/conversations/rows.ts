import type { Configuration } from '../agents/configuration.ts'
import type { At } from '../kit/at.ts'
import { raw, sql, toArrayLiteral } from '../kit/postgres/sql.ts'
import { insertInto, type Table, updaterOf } from '../kit/postgres/table.ts'
import type { ScriptProgress, Timers } from './claim.ts'
import type { Conversation } from './schema.ts'
import { columns } from './store.ts'

export const table = {
  name: 'conversations',
  columns: {
    id: 'uuid',
    kind: 'text',
    status: 'text',
    channel_id: 'uuid',
    agent_id: 'uuid',
    agent_name: 'text',
    version_id: 'uuid',
    version_label: 'text',
    draft: 'jsonb',
    contact_id: 'uuid',
    counterpart: 'text',
    turn_count: 'integer',
    last_turn_at: 'timestamptz',
    hand_over_reason: 'text',
    close_reason: 'text',
    results: 'jsonb',
    summary: 'text',
    summarized_until: 'integer',
    needs_summary: 'boolean',
    variables: 'jsonb',
    metadata: 'jsonb',
    input_tokens: 'integer',
    output_tokens: 'integer',
    awaits_answer: 'boolean',
    last_answer_seq: 'integer',
    timers: 'jsonb',
    script_state: 'jsonb',
    redacted_at: 'timestamptz',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
    due_at: 'timestamptz',
    lease_until: 'timestamptz',
    lease_token: 'uuid',
    attempt: 'smallint',
  },
} satisfies Table<string>

type Column = keyof typeof table.columns
const all_columns = Object.keys(table.columns) as Column[]

/** A conversation with what clients don't see. */
export interface Row extends Conversation {
  /**
   * Whether the contact waits for an answer, or for the agent's first words. Clients see it as `is_answering` while the
   * conversation is open: after a hand-over a person answers. While a process makes the answer, the engine's state has it as
   * `is_unanswered` (`talk/state.ts`), and it is written back at the end. In calls only the engine has it.
   */
  awaits_answer: boolean
  last_answer_seq: number
  needs_summary: boolean
  script_state: ScriptProgress | null
  summarized_until: number
  timers: Timers
  due_at: string | null
  lease_token: string | null
}

/** The row of a conversation that begins. */
export const newRow = (
  conversation: Conversation,
  { due_at, lease_token }: Pick<Row, 'due_at' | 'lease_token'>,
): Row => ({
  ...conversation,
  awaits_answer: conversation.is_answering,
  last_answer_seq: 0,
  needs_summary: false,
  script_state: null,
  summarized_until: 0,
  timers: {},
  due_at,
  lease_token,
})

/** Leaves out what clients don't see. */
export function shownOf({
  awaits_answer: _awaits_answer,
  last_answer_seq: _last_answer_seq,
  needs_summary: _needs_summary,
  script_state: _script_state,
  summarized_until: _summarized_until,
  timers: _timers,
  due_at: _due_at,
  lease_token: _lease_token,
  ...shown
}: Row): Conversation {
  return shown
}

const hidden_columns = raw(
  'awaits_answer, last_answer_seq, needs_summary, script_state, summarized_until, timers, due_at, lease_token',
)

/** Locks conversations in the order of their ids, until the transaction ends. Who locks a call too does so after this. */
export async function lockAll({ db, workspace }: At, ids: string[]): Promise<Map<string, Row>> {
  if (ids.length === 0) return new Map()
  const rows = await db.many<Row>(
    sql`select ${columns}, ${hidden_columns} from conversations
      where workspace_id = ${workspace} and id = any(${toArrayLiteral(ids)}::uuid[]) order by id for no key update`,
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** Locks the open conversations with these counterparts on these channels. */
export const lockThreads = (
  { db, workspace }: At,
  { channel_ids, counterparts }: { channel_ids: string[]; counterparts: string[] },
): Promise<Row[]> =>
  db.many<Row>(
    sql`select ${columns}, ${hidden_columns} from conversations
      where workspace_id = ${workspace} and kind = 'sms' and status <> 'closed' and counterpart is not null
        and channel_id = any(${channel_ids}::uuid[]) and counterpart = any(${counterparts}::text[])
      order by channel_id, counterpart for no key update`,
  )

/** Returns the ids of those that were inserted. A number has one open conversation on a channel. */
export async function insertRows(
  { db, workspace }: At,
  rows: (Row & { draft?: Configuration | null })[],
): Promise<Set<string>> {
  if (rows.length === 0) return new Set()
  const values = rows.map(({ agent_version: { id: version_id, version_label }, usage, ...row }) => ({
    draft: null,
    lease_until: null,
    attempt: 0,
    ...row,
    ...usage,
    version_id,
    version_label,
  }))
  const inserted = await db.many<{ id: string }>(
    sql`${insertInto(table, { workspace, names: all_columns, rows: values })}
      on conflict (workspace_id, channel_id, counterpart)
        where kind = 'sms' and status <> 'closed' and counterpart is not null do nothing
      returning id`,
  )
  return new Set(inserted.map(({ id }) => id))
}

/** Writes these columns of conversations that the transaction has locked. */
export const updateRows = updaterOf(table)
