import type { Person } from '../consent/person.ts'
import * as contacts from '../contacts/store.ts'
import type { At, InWorkspace } from '../kit/at.ts'
import type { IsCurrent } from '../kit/http/operation.ts'
import { isId } from '../kit/id.ts'
import { batchedGetById } from '../kit/postgres/get-by-id.ts'
import * as page from '../kit/postgres/page.ts'
import { type IdRange, pageById } from '../kit/postgres/page-by-id.ts'
import { raw, type Sql, sql } from '../kit/postgres/sql.ts'
import { invalidState, notFound, preconditionFailed } from '../kit/problem.ts'
import { count, read as readCounts, sumOf } from './counts.ts'
import { cancelRow, columns, deleteRow, resetRow, skipRow } from './enrollment-rows.ts'
import { attempting_statuses, is_waiting, waiting_statuses } from './enrollment-status.ts'
import { wake } from './rows.ts'
import { type Campaign, type Enrollment, type EnrollmentQuery, final_statuses } from './schema.ts'
import * as campaigns from './store.ts'

/** Leaves out enrollments of a deleted campaign, which are deleted in the background. */
const joinCampaign = (workspace: Sql): Sql =>
  sql`join lateral (select from campaigns where campaigns.workspace_id = ${workspace} and campaigns.id = campaign_id)
    as campaign on true`

const getById = batchedGetById(columns, raw('enrollments'), joinCampaign)

export async function get({ db, workspace }: At, id: string): Promise<Enrollment> {
  const found = isId(id) ? await getById(db, workspace, id) : undefined
  if (!found) throw notFound()
  return found
}

/** Lists enrollments, newest first. */
export async function list(
  at: At,
  { campaign_id, query }: { campaign_id: string; query: EnrollmentQuery },
): Promise<page.Page<Enrollment>> {
  const { db, workspace } = at
  const { status, contact_id } = query
  await campaigns.get(at, campaign_id)
  const matches = sql`select ${columns} from enrollments
    where workspace_id = ${workspace} and campaign_id = ${campaign_id}
      ${status === undefined ? raw('') : sql`and status = ${status}`}
      ${contact_id === undefined ? raw('') : ofContact(contact_id)}`
  const countMatches = async () => {
    if (contact_id !== undefined) return page.count(db, matches)
    const counts = await readCounts(at, { campaign_id, counted: 'status' })
    return status === undefined ? sumOf(counts) : (counts[status] ?? 0)
  }
  return page.read(query, page.newest_first, async (page_sql) => {
    const [rows, total] = await Promise.all([db.many<Enrollment>(page_sql.rows(matches)), countMatches()])
    return { rows, total }
  })
}

/** Filters by a contact. An id that can't exist finds nothing. */
const ofContact = (id: string): Sql => (isId(id) ? sql`and contact_id = ${id}` : raw('and false'))

export async function listOfContact(
  at: At,
  { contact_id, query }: { contact_id: string; query: page.PageQuery },
): Promise<page.Page<Enrollment>> {
  const { db, workspace } = at
  await contacts.get(at, contact_id)
  return page.readSelection(
    db,
    query,
    page.newest_first,
    sql`select ${columns} from enrollments ${joinCampaign(sql`${workspace}`)}
      where workspace_id = ${workspace} and contact_id = ${contact_id}`,
  )
}

/** Lists the person's enrollments in all campaigns, in the order of their ids. */
export const listOfPerson = ({ db, workspace }: InWorkspace, { contact_ids }: Person, range: IdRange) =>
  db.many<Enrollment>(
    pageById('enrollments', workspace, { columns, where: sql`contact_id = any(${contact_ids}::uuid[])`, ...range }),
  )

/** Removes an enrollment. Its attempts still count for the limits of the person. */
export async function remove(
  at: At,
  { id, isCurrent }: { id: string; isCurrent: IsCurrent },
): Promise<{ deleted: true }> {
  const { campaign, enrollment } = await lock(at, id)
  if (!isCurrent(enrollment)) throw preconditionFailed()
  assertNotAttempting(enrollment)
  await deleteRow(at, id)
  await recordChange(at, { campaign, from: enrollment.status, to: null })
  return { deleted: true }
}

/** Lets the contact be tried again, as if it had just been enrolled. */
export async function retry(at: At, id: string): Promise<Enrollment> {
  const { campaign, enrollment } = await lock(at, id)
  assertNotAttempting(enrollment)
  if (final_statuses.includes(campaign.status))
    throw invalidState(`The campaign is ${campaign.status}.`, { status: enrollment.status })
  if (waiting_statuses.includes(enrollment.status))
    throw invalidState(`The enrollment is ${enrollment.status}. An attempt follows by itself.`, {
      status: enrollment.status,
    })
  const changed = await resetRow(at, enrollment)
  await recordChange(at, { campaign, from: enrollment.status, to: changed.status })
  return changed
}

/** Skips an enrollment, so that no attempt follows. */
export async function skip(at: At, id: string): Promise<Enrollment> {
  const { campaign, enrollment } = await lock(at, id)
  const { status } = enrollment
  if (!waiting_statuses.includes(status))
    throw invalidState(`Only an enrollment that is pending or waiting can be skipped, and this one is ${status}.`, {
      status,
    })
  const changed = await skipRow(at, enrollment)
  await recordChange(at, { campaign, from: status, to: changed.status })
  return changed
}

/** Cancels the person's enrollments in all campaigns, so that no attempt follows. Returns how many were canceled. */
export async function cancelOf(at: At, { contact_ids }: Person, limit: number): Promise<number> {
  const { db, workspace } = at
  const waiting = await db.many<Pick<Enrollment, 'id' | 'campaign_id'>>(
    sql`select id, campaign_id from enrollments
      where workspace_id = ${workspace} and contact_id = any(${contact_ids}::uuid[]) and ${is_waiting}
      order by campaign_id, id limit ${limit}`,
  )
  for (const { id } of waiting) {
    const { campaign, enrollment } = await lock(at, id)
    if (!waiting_statuses.includes(enrollment.status)) continue
    const changed = await cancelRow(at, enrollment)
    await recordChange(at, { campaign, from: enrollment.status, to: changed.status })
  }
  return waiting.length
}

interface LockedEnrollment {
  campaign: Campaign
  enrollment: Enrollment
}

/** Locks an enrollment. The campaign is locked first, as the dialer does. */
async function lock(at: At, id: string): Promise<LockedEnrollment> {
  const { db, workspace } = at
  const campaign = await campaigns.lock(at, (await get(at, id)).campaign_id)
  const enrollment = await db.maybe<Enrollment>(
    sql`select ${columns} from enrollments where workspace_id = ${workspace} and id = ${id} for update`,
  )
  if (!enrollment) throw notFound()
  return { campaign, enrollment }
}

function assertNotAttempting({ status }: Enrollment): void {
  if (attempting_statuses.includes(status))
    throw invalidState('An attempt to reach the contact is in progress. Wait until it has ended.', { status })
}

interface EnrollmentChange {
  campaign: Campaign
  from: Enrollment['status']
  to: Enrollment['status'] | null
}

async function recordChange(at: At, { campaign, from, to }: EnrollmentChange): Promise<void> {
  await count(at, [{ campaign_id: campaign.id, counted: 'status', from, to }])
  await wake(at, campaign)
}
