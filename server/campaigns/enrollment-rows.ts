import type { At } from '../kit/at.ts'
import { copyLine } from '../kit/postgres/copy.ts'
import { selected, type Table, updaterOf } from '../kit/postgres/table.ts'
import { Enrollment } from './schema.ts'

export const table = {
  name: 'enrollments',
  columns: {
    id: 'uuid',
    campaign_id: 'uuid',
    contact_id: 'uuid',
    status: 'text',
    reason: 'text',
    attempts: 'integer',
    earlier_attempts: 'integer',
    outcomes: 'jsonb',
    last_outcome: 'text',
    last_call_id: 'uuid',
    last_conversation_id: 'uuid',
    next_attempt_at: 'timestamptz',
    retry_at: 'timestamptz',
    callback_at: 'timestamptz',
    variables: 'jsonb',
    rank: 'integer',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
    due_at: 'timestamptz',
  },
} satisfies Table<string>

/** What clients see. */
export const columns = selected(table, {
  members: Object.keys(Enrollment.properties) as (keyof Enrollment)[],
  computed: {},
})

interface NewRow extends Pick<Enrollment, 'id' | 'campaign_id' | 'contact_id' | 'variables' | 'created_at'> {
  rank: number
  due_at: string
}

const new_columns = [
  'id',
  'campaign_id',
  'contact_id',
  'status',
  'variables',
  'rank',
  'created_at',
  'updated_at',
  'due_at',
] as const

export async function insertRows({ db, workspace }: At, rows: NewRow[]): Promise<void> {
  const lines = rows.map((row) => {
    const values = { ...row, status: 'pending', variables: JSON.stringify(row.variables), updated_at: row.created_at }
    return copyLine([workspace, ...new_columns.map((column) => values[column])])
  })
  await db.copy(table.name, ['workspace_id', ...new_columns], lines.join(''))
}

/** Writes these columns of enrollments that the transaction has locked. */
export const updateRows = updaterOf(table)
