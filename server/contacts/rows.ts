import type { At, InWorkspace } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { copyLine, copyTextArray } from '../kit/postgres/copy.ts'
import { sql, toArrayLiteral } from '../kit/postgres/sql.ts'
import { insertInto, selectorOf, type Table, updaterOf } from '../kit/postgres/table.ts'
import { Contact, type ContactWithCrmIds, fields } from './schema.ts'

/** @internal */
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
    custom_fields: 'jsonb',
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

/** The columns without CRM ids, which lists don't read. */
export const columns = selectorOf<Contact, keyof typeof table.columns>(table, {})(members)

const edited_columns = [...fields, 'custom_fields', 'updated_at'] as const
const new_columns = ['id', ...edited_columns, 'source', 'created_at'] as const

/** Inserts contacts whose phone numbers are not in use. Returns the ids of those that were inserted. */
export async function insertRows(at: At, rows: ContactWithCrmIds[]): Promise<Set<string>> {
  const inserted = await at.db.many<{ id: string }>(
    sql`${insertInto(table, at, { names: [...new_columns, 'crm_ids'], rows })}
      on conflict (workspace_id, phone_number) do nothing
      returning id`,
  )
  return new Set(inserted.map(({ id }) => id))
}

/** Inserts thousands of rows without CRM ids, as `insertRows` does. Fails if a phone number is in use. */
export async function copyRows({ db, workspace }: At, rows: Contact[]): Promise<void> {
  const cellsOf = (row: Contact) =>
    new_columns.map((column) => {
      if (column === 'tags') return copyTextArray(row.tags)
      return column === 'custom_fields' ? JSON.stringify(row.custom_fields) : row[column]
    })
  const lines = rows.map((row) => copyLine([workspace, ...cellsOf(row)]))
  await db.copy(table.name, ['workspace_id', ...new_columns], lines.join(''))
}

const updateRows = updaterOf(table)

/** Writes what clients can edit, of contacts that the transaction has locked. */
export const updateEdited = (at: At, rows: ContactWithCrmIds[]): Promise<void> =>
  updateRows(at, rows, [...edited_columns, 'crm_ids'])

interface Stamp {
  contact_id: string
  /** When the contact was reached, has written or has called. */
  at: number
}

/**
 * Keeps `first_contact_at` and `last_contact_at`. This is no edit: `updated_at` stays, and no event is recorded. Returns the
 * contacts that exist, which are locked until the transaction ends.
 */
export async function stamp({ db, workspace }: InWorkspace, stamps: Stamp[]): Promise<Set<string>> {
  if (stamps.length === 0) return new Set()
  // Sorted, so that concurrent transactions lock contacts in the same order and don't deadlock.
  const reached = [...Map.groupBy(stamps, ({ contact_id }) => contact_id)].sort(([left], [right]) =>
    left < right ? -1 : 1,
  )
  const ids = toArrayLiteral(reached.map(([id]) => id))
  const timesBy = (choose: typeof Math.min) =>
    toArrayLiteral(reached.map(([, of_contact]) => clock.iso(choose(...of_contact.map(({ at }) => at)))))
  // The array takes the place of a join, for which the planner may read all contacts of the workspace.
  const index = sql`array_position(${ids}::uuid[], id)`
  const first = sql`(${timesBy(Math.min)}::timestamptz[])[${index}]`
  const last = sql`(${timesBy(Math.max)}::timestamptz[])[${index}]`
  const these = sql`workspace_id = ${workspace} and id = any(${ids}::uuid[])`
  const [locked] = await Promise.all([
    db.many<{ id: string }>(sql`select id from contacts where ${these} order by id for no key update`),
    db.run(
      sql`update contacts
        set first_contact_at = least(first_contact_at, ${first}), last_contact_at = greatest(last_contact_at, ${last})
        where ${these} and (first_contact_at is null or first_contact_at > ${first} or last_contact_at < ${last})`,
    ),
  ])
  return new Set(locked.map(({ id }) => id))
}

export const deleteRows = ({ db, workspace }: At, ids: string[]): Promise<number> =>
  db.run(sql`delete from contacts where workspace_id = ${workspace} and id = any(${ids}::uuid[])`)
