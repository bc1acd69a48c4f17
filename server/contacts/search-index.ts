import { newId } from '../kit/id.ts'
import { copyLine } from '../kit/postgres/copy.ts'
import type { Db } from '../kit/postgres/pool.ts'
import { sql } from '../kit/postgres/sql.ts'
import { foldTag, searchTextOf } from './normalize.ts'
import type { Contact } from './schema.ts'
import { isTallied } from './short-search-totals.ts'

/** What became of a contact that is locked; without `after` it is deleted. */
export interface Fate {
  before: Contact
  after?: Contact
}

/** Puts new contacts where they are found. */
export async function add(db: Db, workspace: string, contacts: Contact[]): Promise<void> {
  const tagged = contacts.flatMap((contact) => tagsOnlyIn(contact, undefined))
  await Promise.all([addTexts(db, workspace, contacts), addTags(db, workspace, tagged)])
}

/** The same for very many at once. */
export async function addMany(db: Db, workspace: string, contacts: Contact[]): Promise<void> {
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

/** Brings the tables that contacts are found by in line with them. */
export async function follow(db: Db, workspace: string, fates: Fate[]): Promise<void> {
  await Promise.all([
    changeTexts(
      db,
      workspace,
      fates.filter(({ before, after }) => !after || searchTextOf(before) !== searchTextOf(after)),
    ),
    removeTags(
      db,
      workspace,
      fates.flatMap(({ before, after }) => tagsOnlyIn(before, after)),
    ),
    addTags(
      db,
      workspace,
      fates.flatMap(({ before, after }) => (after ? tagsOnlyIn(after, before) : [])),
    ),
  ])
}

async function addTexts(db: Db, workspace: string, contacts: Contact[]): Promise<void> {
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

/** In this order, which the connection keeps: what goes is noted while it is there. */
async function changeTexts(db: Db, workspace: string, fates: Fate[]): Promise<void> {
  if (fates.length === 0) return
  const ids = fates.map(({ before }) => before.id)
  const rows = sql`unnest(${fates.map(newId)}::uuid[], ${ids}::uuid[],
    ${fates.map(({ after }) => after && searchTextOf(after))}::text[]) as row (change_id, contact_id, added)`
  const noting = db.run(
    sql`insert into contact_text_changes (workspace_id, id, removed, added)
      select ${workspace}, change_id, text, added
      from ${rows} join contact_texts on workspace_id = ${workspace} and id = contact_id
      where ${isTallied(workspace)}`,
  )
  const changing =
    fates.some(({ after }) => after) &&
    db.run(
      sql`update contact_texts set text = added from ${rows}
        where workspace_id = ${workspace} and id = contact_id and added is not null`,
    )
  const deleting =
    fates.some(({ after }) => !after) &&
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

async function addTags(db: Db, workspace: string, tagged: Tagged[]): Promise<void> {
  if (tagged.length === 0) return
  await db.run(
    sql`insert into contact_tags (workspace_id, tag, created_at, id)
      select ${workspace}, tag, created_at, id from ${rowsOf(tagged)}`,
  )
}

async function removeTags(db: Db, workspace: string, tagged: Tagged[]): Promise<void> {
  if (tagged.length === 0) return
  await db.run(
    sql`delete from contact_tags as held using ${rowsOf(tagged)}
      where held.workspace_id = ${workspace} and held.tag = row.tag and held.created_at = row.created_at
        and held.id = row.id`,
  )
}
