import { selectChunk } from '../contacts/filters.ts'
import type { ContactFilters } from '../contacts/schema.ts'
import { type At, atLater, inTransaction } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { newId } from '../kit/id.ts'
import type { CursorPosition } from '../kit/postgres/page.ts'
import { sql } from '../kit/postgres/sql.ts'
import { invalidState, Problem } from '../kit/problem.ts'
import { announce, assertHeld, isHeld, type Lease, type RowWork } from '../kit/work/rows.ts'
import { enroll, type Member } from './enroll.ts'
import { countNotEnrolled } from './rows.ts'

/** This many contacts are enrolled in one transaction. */
const batch_contacts = 2_000
/** At most this many enrollings of a campaign wait or run. */
const enrollings_max = 20

export type Filter = Omit<ContactFilters, 'sort'>

/** The contacts to enroll. */
export type Source = { filter: Filter } | { contacts: Member[] }

/** The place where the next batch begins: after a contact, or at an index of the list. */
export type Position = CursorPosition | { index: number }

interface NewEnrolling {
  campaign_id: string
  source: Source
  position: Position
}

/** Enrolls the rest of a source in the background. */
export async function enrollLater(at: At, { campaign_id, source, position }: NewEnrolling): Promise<void> {
  const { db, workspace, now } = at
  const waiting = await db.many(
    sql`select from campaign_enrollings where workspace_id = ${workspace} and campaign_id = ${campaign_id}`,
  )
  if (waiting.length >= enrollings_max)
    throw invalidState('Contacts are still being enrolled in this campaign. Try again later.')
  await db.run(
    sql`insert into campaign_enrollings (workspace_id, id, campaign_id, source, position, created_at, due_at)
      values (${workspace}, ${newId()}, ${campaign_id}, ${JSON.stringify(source)}, ${JSON.stringify(position)},
        ${clock.iso(now)}, ${clock.iso(now)})`,
  )
  announce(at, work)
}

/** Whether contacts are still being enrolled in the background. A campaign is not completed before. */
export const isEnrolling = async ({ db, workspace }: At, campaign_id: string): Promise<boolean> =>
  (await db.run(
    sql`select from campaign_enrollings where workspace_id = ${workspace} and campaign_id = ${campaign_id} limit 1`,
  )) > 0

/** Stops enrolling in the background. Contacts that were not enrolled yet stay out. */
export const stopEnrolling = ({ db, workspace }: At, campaign_id: string): Promise<number> =>
  db.run(sql`delete from campaign_enrollings where workspace_id = ${workspace} and campaign_id = ${campaign_id}`)

export interface Page {
  members: Member[]
  /** Where the next page begins. Undefined on the last page. */
  next: Position | undefined
}

/**
 * Reads a page of the source, newest contacts first, so that contacts that are created meanwhile are not among them.
 */
export async function readPage(
  { db, workspace }: At,
  { source, position, limit }: { source: Source; position: Position | undefined; limit: number },
): Promise<Page> {
  if ('contacts' in source) {
    const index = position && 'index' in position ? position.index : 0
    const next = index + limit
    const is_last = next >= source.contacts.length
    return { members: source.contacts.slice(index, next), next: is_last ? undefined : { index: next } }
  }
  const query: ContactFilters = { ...source.filter, sort: '-created_at' }
  const after = position && 'id' in position ? position : undefined
  const rows = await db.many<{ id: string; created_at: string }>(
    selectChunk(workspace, query, { after, limit: limit + 1 }),
  )
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const next = rows.length > limit && last ? { value: last.created_at, id: last.id } : undefined
  return { members: page.map(({ id }) => ({ contact_id: id })), next }
}

/**
 * Enrolls in the background. This work never gives up, because contacts would be missing without a sign. Its row is
 * deleted at the end.
 */
export const work: RowWork = { table: 'campaign_enrollings', begin }

async function begin(at: At, lease: Lease): Promise<() => Promise<boolean>> {
  const found = await at.db.maybe<NewEnrolling>(
    sql`select campaign_id, source, position from campaign_enrollings where ${isHeld(lease)}`,
  )
  if (!found) return async () => false
  let position: Position | undefined = found.position
  return async () => {
    if (position) position = await inTransaction(atLater(at), (at) => runBatch(at, { ...found, lease, position }))
    return position !== undefined
  }
}

type Batch = Omit<NewEnrolling, 'position'> & { lease: Lease; position: Position | undefined }

/** Enrolls a page and records the progress, in one transaction. Returns where the next one begins. */
async function runBatch(at: At, { campaign_id, source, position, lease }: Batch): Promise<Position | undefined> {
  const { members, next } = await readPage(at, { source, position, limit: batch_contacts })
  const done = await enrollUnlessEnded(at, { campaign_id, members })
  if (done && done.not_enrolled > 0) await countNotEnrolled(at, campaign_id, done.not_enrolled)
  const rest = done ? next : undefined
  const changed = await at.db.run(
    rest
      ? sql`update campaign_enrollings set position = ${JSON.stringify(rest)}, attempt = 0 where ${isHeld(lease)}`
      : sql`delete from campaign_enrollings where ${isHeld(lease)}`,
  )
  assertHeld(changed)
  return rest
}

/** Enrolls a page. Returns undefined if the campaign has ended. */
async function enrollUnlessEnded(at: At, page: { campaign_id: string; members: Member[] }) {
  try {
    return await enroll(at, page)
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}
