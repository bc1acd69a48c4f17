import type { At } from '../kit/at.ts'
import { newId } from '../kit/id.ts'
import { copyLine } from '../kit/postgres/copy.ts'
import { sql } from '../kit/postgres/sql.ts'
import { foldTag, searchTextOf } from './normalize.ts'
import type { Contact } from './schema.ts'
import { isTallied } from './short-search-totals.ts'

/** A change of a locked contact. Without `after` it is deleted. */
export interface Change {
  before: Contact
  after?: Contact
}

/** Adds new contacts to the tables that lists and searches read. */
export async function add(at: At, contacts: Contact[]): Promise<void> {
  const tagged = contacts.flatMap((contact) => tagsOnlyIn(contact, undefined))
  await Promise.all([addTexts(at, contacts), addTags(at, tagged)])
}

/** Like `add`, for thousands at once. */
export async function addMany({ db, workspace }: At, contacts: Contact[]): Promise<void> {
  const texts = contacts.map(searchTextOf)
  const text_lines = contacts.map(({ id, created_at }, index) =>
    copyLine([workspace, id, created_at, texts[index] ?? '']),
  )
  const tag_lines = contacts
    .flatMap((contact) => tagsOnlyIn(contact, undefined))
    .map(({ tag, created_at, id }) => copyLine([workspace, tag, created_at, id]))
  const [{ is_tallied }] = await Promise.all([
    db.one<{ is_tallied: boolean }>(sql`select ${isTallied(workspace)} as is_tallied`),
    db.copy('contact_texts', ['workspace_id', 'id', 'created_at', 'text'], text_lines.join('')),
    db.copy('contact_tags', ['workspace_id', 'tag', 'created_at', 'id'], tag_lines.join('')),
  ])
  if (!is_tallied) return
  const change_lines = texts.map((text) => copyLine([workspace, newId(), text]))
  await db.copy('contact_text_changes', ['workspace_id', 'id', 'added'], change_lines.join(''))
}

/** Updates these tables for contacts that were changed or deleted. */
export async function update(at: At, changes: Change[]): Promise<void> {
  await Promise.all([
    changeTexts(
      at,
      changes.filter(({ before, after }) => !after || searchTextOf(before) !== searchTextOf(after)),
    ),
    removeTags(
      at,
      changes.flatMap(({ before, after }) => tagsOnlyIn(before, after)),
    ),
    addTags(
      at,
      changes.flatMap(({ before, after }) => (after ? tagsOnlyIn(after, before) : [])),
    ),
  ])
}

async function addTexts({ db, workspace }: At, contacts: Contact[]): Promise<void> {
  if (contacts.length === 0) return
  const ids = contacts.map(({ id }) => id)
  const texts = contacts.map(searchTextOf)
  await Promise.all([
    db.run(
      sql`insert into contact_texts (workspace_id, id, created_at, text)
        select ${workspace}, id, created_at, text
        from unnest(${ids}::uuid[], ${contacts.map(({ created_at }) => created_at)}::timestamptz[], ${texts}::text[])
          as row (id, created_at, text)`,
    ),
    db.run(
      sql`insert into contact_text_changes (workspace_id, id, added)
        select ${workspace}, id, text from unnest(${ids.map(newId)}::uuid[], ${texts}::text[]) as row (id, text)
        where ${isTallied(workspace)}`,
    ),
  ])
}

/** The connection keeps this order: removed texts are noted before they are deleted. */
async function changeTexts({ db, workspace }: At, changes: Change[]): Promise<void> {
  if (changes.length === 0) return
  const ids = changes.map(({ before }) => before.id)
  const rows = sql`unnest(${changes.map(newId)}::uuid[], ${ids}::uuid[],
    ${changes.map(({ after }) => after && searchTextOf(after))}::text[]) as row (change_id, contact_id, added)`
  const noting = db.run(
    sql`insert into contact_text_changes (workspace_id, id, removed, added)
      select ${workspace}, change_id, text, added
      from ${rows} join contact_texts on workspace_id = ${workspace} and id = contact_id
      where ${isTallied(workspace)}`,
  )
  const changing =
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
  await Promise.all([noting, changing, deleting])
}

interface Tagged extends Pick<Contact, 'id' | 'created_at'> {
  tag: string
}

function tagsOnlyIn({ id, created_at, tags }: Contact, other: Contact | undefined): Tagged[] {
  const others = new Set(other?.tags.map(foldTag))
  const own = tags.map(foldTag).filter((tag) => !others.has(tag))
  return own.map((tag) => ({ tag, created_at, id }))
}

const rowsOf = (tagged: Tagged[]) =>
  sql`unnest(${tagged.map(({ tag }) => tag)}::text[], ${tagged.map(({ created_at }) => created_at)}::timestamptz[],
    ${tagged.map(({ id }) => id)}::uuid[]) as row (tag, created_at, id)`

async function addTags({ db, workspace }: At, tagged: Tagged[]): Promise<void> {
  if (tagged.length === 0) return
  await db.run(
    sql`insert into contact_tags (workspace_id, tag, created_at, id)
      select ${workspace}, tag, created_at, id from ${rowsOf(tagged)}`,
  )
}

async function removeTags({ db, workspace }: At, tagged: Tagged[]): Promise<void> {
  if (tagged.length === 0) return
  await db.run(
    sql`delete from contact_tags as held using ${rowsOf(tagged)}
      where held.workspace_id = ${workspace} and held.tag = row.tag and held.created_at = row.created_at
        and held.id = row.id`,
  )
}
