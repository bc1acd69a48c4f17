import type { At } from '../kit/at.ts'
import { copyLine, copyTextArray } from '../kit/postgres/copy.ts'
import { sql } from '../kit/postgres/sql.ts'
import { insertInto, selected, type Table, updaterOf } from '../kit/postgres/table.ts'
import { Contact, fields } from './schema.ts'

export const table = {
  name: 'contacts',
  columns: {
    id: 'uuid',
    phone_number: 'text',
    first_name: 'text',
    last_name: 'text',
    display_name: 'text',
    email: 'text',
    company: 'text',
    time_zone: 'text',
    notes: 'text',
    tags: 'text[]',
    source: 'text',
    first_contact_at: 'timestamptz',
    last_contact_at: 'timestamptz',
    crm_ids: 'jsonb',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
  },
} satisfies Table<string>

// The keys of a schema are those of its type.
export const members = Object.keys(Contact.properties) as (keyof Contact)[]

/** Without CRM ids, which lists don't read. */
export const columns = selected(table, { members, computed: {} })

const new_columns = ['id', ...fields, 'source', 'created_at', 'updated_at'] as const

/** Returns the ids of those that were inserted. A phone number has one contact. */
export async function insertRows({ db, workspace }: At, rows: Contact[]): Promise<Set<string>> {
  const inserted = await db.many<{ id: string }>(
    sql`${insertInto(table, { workspace, names: new_columns, rows })}
      on conflict (workspace_id, phone_number) do nothing
      returning id`,
  )
  return new Set(inserted.map(({ id }) => id))
}

/** Like `insertRows`, for thousands of rows. It fails if a phone number is in use. */
export async function copyRows({ db, workspace }: At, rows: Contact[]): Promise<void> {
  const cellsOf = (row: Contact) =>
    new_columns.map((column) => (column === 'tags' ? copyTextArray(row.tags) : row[column]))
  const lines = rows.map((row) => copyLine([workspace, ...cellsOf(row)]))
  await db.copy(table.name, ['workspace_id', ...new_columns], lines.join(''))
}

const updateRows = updaterOf(table)

/** Writes what clients can edit, of contacts that the transaction has locked. */
export const updateEdited = (at: At, rows: Contact[]): Promise<void> => updateRows(at, rows, [...fields, 'updated_at'])
