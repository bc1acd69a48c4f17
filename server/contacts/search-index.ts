import type { At, InWorkspace } from '../kit/at.ts'
import { newId } from '../kit/id.ts'
import { selectRows } from '../kit/postgres/citus/tenants.ts'
import { copyLine } from '../kit/postgres/copy.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { normalizeTag, toSearchText } from './normalize.ts'
import type { Contact } from './schema.ts'
import { keepsTotals, shareUnlessRecording, topic } from './short-search-totals.ts'

/** A contact that was updated, or deleted if there is no `after`. The transaction has locked it. */
export interface IndexedChange {
  before: Contact
  after?: Contact
}

/** A table with a row for each value of a contact. */
interface ValueTable {
  name: string
  column: string
  valuesOf: (contact: Contact) => string[]
}

const value_tables: ValueTable[] = [
  { name: 'contact_tags', column: 'tag', valuesOf: ({ tags }) => tags.map(normalizeTag) },
  {
    name: 'contact_custom_fields',
    column: 'field',
    valuesOf: ({ custom_fields }) => Object.entries(custom_fields).map(([name, value]) => `${name}:${value}`),
  },
]

/** Adds new contacts to the narrow tables that lists and searches read: `contact_texts` and those of values. */
export async function add(at: At, contacts: Contact[]): Promise<void> {
  const adding = value_tables.map((table) => addValues(at, table, allValues(table, contacts)))
  await Promise.all([addTexts(at, contacts), ...adding])
}

/** Adds thousands of contacts, as `add` does. */
export async function addMany(at: At, contacts: Contact[]): Promise<void> {
  const { db, workspace } = at
  const texts = contacts.map(toSearchText)
  const text_lines = contacts.map(({ id, created_at }, index) =>
    copyLine([workspace, id, created_at, texts[index] ?? '']),
  )
  const [, { keeps_totals }] = await Promise.all([
    shareUnlessRecording(at),
    db.one<{ keeps_totals: boolean }>(sql`select ${keepsTotals(workspace)} as keeps_totals`),
    db.copy('contact_texts', ['workspace_id', 'id', 'created_at', 'text'], text_lines.join('')),
    ...value_tables.map((table) => copyValues(at, table, allValues(table, contacts))),
  ])
  if (!keeps_totals) return
  const change_lines = texts.map((text) => copyLine([workspace, newId(), text]))
  await db.copy('contact_text_changes', ['workspace_id', 'id', 'added'], change_lines.join(''))
}

/** Applies updates and deletions of contacts to the narrow tables. */
export async function update(at: At, changes: IndexedChange[]): Promise<void> {
  const changed_texts = changes.filter(({ before, after }) => !after || toSearchText(before) !== toSearchText(after))
  const changing = value_tables.flatMap((table) => {
    const removed = changes.flatMap(({ before, after }) => valuesOnlyIn(table, before, after))
    const added = changes.flatMap(({ before, after }) => (after ? valuesOnlyIn(table, after, before) : []))
    return [removeValues(at, table, removed), addValues(at, table, added)]
  })
  await Promise.all([updateTexts(at, changed_texts), ...changing])
}

async function addTexts(at: At, contacts: Contact[]): Promise<void> {
  const { db, workspace } = at
  if (contacts.length === 0) return
  const ids = contacts.map(({ id }) => id)
  const texts = contacts.map(toSearchText)
  const selected = selectRows(at, {
    columns: raw('id, created_at, text'),
    from: sql`unnest(${ids}::uuid[], ${contacts.map(({ created_at }) => created_at)}::timestamptz[], ${texts}::text[])
      as row (id, created_at, text)`,
  })
  const changes = selectRows(at, {
    columns: raw('id, text'),
    from: sql`unnest(${ids.map(newId)}::uuid[], ${texts}::text[]) as row (id, text)`,
    where: keepsTotals(workspace),
  })
  await Promise.all([
    db.run(sql`insert into contact_texts (workspace_id, id, created_at, text) ${selected}`),
    shareUnlessRecording(at),
    announce(at, db.run(sql`insert into contact_text_changes (workspace_id, id, added) ${changes}`)),
  ])
}

/**
 * Writes texts, and records the changes. A connection runs statements in the order they are sent, so the recording one
 * still reads the old texts.
 */
async function updateTexts(at: InWorkspace, changes: IndexedChange[]): Promise<void> {
  const { db, workspace } = at
  if (changes.length === 0) return
  const ids = changes.map(({ before }) => before.id)
  const rows = sql`unnest(${changes.map(newId)}::uuid[], ${ids}::uuid[],
    ${changes.map(({ after }) => after && toSearchText(after))}::text[]) as row (change_id, contact_id, added)`
  const sharing = shareUnlessRecording(at)
  const recording = db.run(
    sql`insert into contact_text_changes (workspace_id, id, removed, added)
      select workspace_id, change_id, text, added
      from ${rows} join contact_texts on workspace_id = ${workspace} and id = contact_id
      where ${keepsTotals(workspace)}`,
  )
  const updating =
    changes.some(({ after }) => after) &&
    db.run(
      sql`update contact_texts set text = added from ${rows}
        where workspace_id = ${workspace} and id = contact_id and added is not null`,
    )
  const deleting =
    changes.some(({ after }) => !after) &&
    db.run(
      sql`delete from contact_texts using ${rows}
        where workspace_id = ${workspace} and id = contact_id and added is null`,
    )
  await Promise.all([sharing, announce(at, recording), updating, deleting])
}

/** Announces the changes that were recorded, if any. */
async function announce({ db, workspace }: InWorkspace, recording: Promise<number>): Promise<void> {
  if ((await recording) > 0) db.notify({ topic, workspace, is_due: false })
}

interface ValueRow extends Pick<Contact, 'id' | 'created_at'> {
  value: string
}

/** Returns the values of the contact that the other one doesn't have. */
function valuesOnlyIn({ valuesOf }: ValueTable, contact: Contact, other: Contact | undefined): ValueRow[] {
  const { id, created_at } = contact
  const other_values = new Set(other && valuesOf(other))
  const own_values = valuesOf(contact).filter((value) => !other_values.has(value))
  return own_values.map((value) => ({ value, created_at, id }))
}

const allValues = (table: ValueTable, contacts: Contact[]): ValueRow[] =>
  contacts.flatMap((contact) => valuesOnlyIn(table, contact, undefined))

const unnestValues = (rows: ValueRow[]) =>
  sql`unnest(${rows.map(({ value }) => value)}::text[], ${rows.map(({ created_at }) => created_at)}::timestamptz[],
    ${rows.map(({ id }) => id)}::uuid[]) as row (value, created_at, id)`

async function addValues(at: At, { name, column }: ValueTable, rows: ValueRow[]): Promise<void> {
  if (rows.length === 0) return
  const selected = selectRows(at, { columns: raw('value, created_at, id'), from: unnestValues(rows) })
  await at.db.run(sql`insert into ${raw(name)} (workspace_id, ${raw(column)}, created_at, id) ${selected}`)
}

async function copyValues({ db, workspace }: At, { name, column }: ValueTable, rows: ValueRow[]): Promise<void> {
  if (rows.length === 0) return
  const lines = rows.map(({ value, created_at, id }) => copyLine([workspace, value, created_at, id]))
  await db.copy(name, ['workspace_id', column, 'created_at', 'id'], lines.join(''))
}

async function removeValues({ db, workspace }: At, { name, column }: ValueTable, rows: ValueRow[]): Promise<void> {
  if (rows.length === 0) return
  await db.run(
    sql`delete from ${raw(name)} as stored using ${unnestValues(rows)}
      where stored.workspace_id = ${workspace} and stored.${raw(column)} = row.value
        and stored.created_at = row.created_at and stored.id = row.id`,
  )
}
