import type { Db } from '../kit/db.ts'
import { newId } from '../kit/id.ts'
import { sql } from '../kit/sql.ts'
import { foldTag, searchTextOf } from './fold.ts'
import { isTallied } from './grams.ts'
import type { Contact } from './schema.ts'

/** What became of a contact that is locked; without `after` it is deleted. */
export interface Fate {
  before: Contact
  after?: Contact
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

async function changeTexts(db: Db, workspace: string, fates: Fate[]): Promise<void> {
  if (fates.length === 0) return
  await db.run(
    sql`with change as (
        select * from unnest(${fates.map(newId)}::uuid[], ${fates.map(({ before }) => before.id)}::uuid[],
          ${fates.map(({ after }) => after && searchTextOf(after))}::text[]) as change (id, contact_id, added)),
      before as (
        select change.*, text as removed from change
        join contact_texts on workspace_id = ${workspace} and contact_texts.id = contact_id),
      changed as (
        update contact_texts set text = added from change
        where workspace_id = ${workspace} and contact_texts.id = contact_id and added is not null),
      deleted as (
        delete from contact_texts using change
        where workspace_id = ${workspace} and contact_texts.id = contact_id and added is null)
      insert into contact_text_changes (workspace_id, id, removed, added)
      select ${workspace}, id, removed, added from before where ${isTallied(workspace)}`,
  )
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
