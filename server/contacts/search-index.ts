import type { At } from '../kit/at.ts'
import { newId } from '../kit/id.ts'
import { copyLine } from '../kit/postgres/copy.ts'
import { raw, sql } from '../kit/postgres/sql.ts'
import { selectRows } from '../kit/postgres/tenants.ts'
import { normalizeTag, toSearchText } from './normalize.ts'
import type { Contact } from './schema.ts'
import { keepsTotals, shareUnlessRecording, topic } from './short-search-totals.ts'

/** A contact that was updated, or deleted if there is no `after`. The transaction has locked it. */
export interface IndexedChange {
  before: Contact
  after?: Contact
}

/** Adds new contacts to the narrow tables that lists and searches read: `contact_texts` and `contact_tags`. */
export async function add(at: At, contacts: Contact[]): Promise<void> {
  await Promise.all([addTexts(at, contacts), addTags(at, contacts.flatMap(allTags))])
}

/** Like `add`, for thousands of contacts. */
export async function addMany(at: At, contacts: Contact[]): Promise<void> {
  const { db, workspace } = at
  const texts = contacts.map(toSearchText)
  const text_lines = contacts.map(({ id, created_at }, index) =>
    copyLine([workspace, id, created_at, texts[index] ?? '']),
  )
  const tag_lines = contacts
    .flatMap(allTags)
    .map(({ tag, created_at, id }) => copyLine([workspace, tag, created_at, id]))
  const [, { keeps_totals }] = await Promise.all([
    shareUnlessRecording(at),
    db.one<{ keeps_totals: boolean }>(sql`select ${keepsTotals(workspace)} as keeps_totals`),
    db.copy('contact_texts', ['workspace_id', 'id', 'created_at', 'text'], text_lines.join('')),
    db.copy('contact_tags', ['workspace_id', 'tag', 'created_at', 'id'], tag_lines.join('')),
  ])
  if (!keeps_totals) return
  const change_lines = texts.map((text) => copyLine([workspace, newId(), text]))
  await db.copy('contact_text_changes', ['workspace_id', 'id', 'added'], change_lines.join(''))
}

/** Applies updates and deletions of contacts to the narrow tables. */
export async function update(at: At, changes: IndexedChange[]): Promise<void> {
  const changed_texts = changes.filter(({ before, after }) => !after || toSearchText(before) !== toSearchText(after))
  const removed_tags = changes.flatMap(({ before, after }) => tagsOnlyIn(before, after))
  const added_tags = changes.flatMap(({ before, after }) => (after ? tagsOnlyIn(after, before) : []))
  await Promise.all([updateTexts(at, changed_texts), removeTags(at, removed_tags), addTags(at, added_tags)])
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

/** A connection runs statements in the order they are sent, so the recording one still reads the old texts. */
async function updateTexts(at: At, changes: IndexedChange[]): Promise<void> {
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
async function announce({ db, workspace }: At, recording: Promise<number>): Promise<void> {
  if ((await recording) > 0) db.notify({ topic, workspace, is_due: false })
}

/** A row of `contact_tags`. */
interface TagRow extends Pick<Contact, 'id' | 'created_at'> {
  tag: string
}

/** The tags of the contact that the other one doesn't have. */
function tagsOnlyIn({ id, created_at, tags }: Contact, other: Contact | undefined): TagRow[] {
  const other_tags = new Set(other?.tags.map(normalizeTag))
  const own_tags = tags.map(normalizeTag).filter((tag) => !other_tags.has(tag))
  return own_tags.map((tag) => ({ tag, created_at, id }))
}

const allTags = (contact: Contact): TagRow[] => tagsOnlyIn(contact, undefined)

const unnestTags = (rows: TagRow[]) =>
  sql`unnest(${rows.map(({ tag }) => tag)}::text[], ${rows.map(({ created_at }) => created_at)}::timestamptz[],
    ${rows.map(({ id }) => id)}::uuid[]) as row (tag, created_at, id)`

async function addTags(at: At, rows: TagRow[]): Promise<void> {
  if (rows.length === 0) return
  const selected = selectRows(at, { columns: raw('tag, created_at, id'), from: unnestTags(rows) })
  await at.db.run(sql`insert into contact_tags (workspace_id, tag, created_at, id) ${selected}`)
}

async function removeTags({ db, workspace }: At, rows: TagRow[]): Promise<void> {
  if (rows.length === 0) return
  await db.run(
    sql`delete from contact_tags as stored using ${unnestTags(rows)}
      where stored.workspace_id = ${workspace} and stored.tag = row.tag and stored.created_at = row.created_at
        and stored.id = row.id`,
  )
}
