import { hash } from 'node:crypto'
import * as clocks from '../clocks/store.ts'
import { shareMany } from '../contacts/share-many.ts'
import { type At, timeStands } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { newId } from '../kit/id.ts'
import { sql, toArrayLiteral } from '../kit/postgres/sql.ts'
import { invalidState } from '../kit/problem.ts'
import { count } from './counts.ts'
import { enrollments_max, type PartlyEnrolled } from './enrolling-schema.ts'
import { insertRows } from './enrollment-rows.ts'
import { wake } from './rows.ts'
import { type Campaign, type Enrollment, final_statuses } from './schema.ts'
import { lock } from './store.ts'

export interface Member {
  contact_id: string
  variables?: Enrollment['variables'] | undefined
}

/** Locks a campaign to which contacts can be added, so that no one else enrolls at the same time. */
export async function lockOpen(at: At, campaign_id: string): Promise<Campaign> {
  const campaign = await lock(at, campaign_id)
  const { status } = campaign
  if (final_statuses.includes(status))
    throw invalidState(`Contacts can't be enrolled in a campaign that is ${status}.`, { status })
  return campaign
}

/**
 * Enrolls contacts, as many as the campaign has room for. Contacts that were deleted meanwhile are left out, and one
 * that is named twice is enrolled once. Fails when the campaign is final.
 */
export async function enroll(
  at: At,
  { campaign_id, members }: { campaign_id: string; members: Member[] },
): Promise<PartlyEnrolled> {
  const campaign = await lockOpen(at, campaign_id)
  const by_contact = new Map(members.toReversed().map((member) => [member.contact_id, member]))
  const [contacts, enrolled, seed] = await Promise.all([
    shareMany(at, [...by_contact.keys()]),
    findEnrolled(at, { campaign_id, contact_ids: [...by_contact.keys()] }),
    readRankSeed(at),
  ])
  const missing = contacts.filter(({ id }) => !enrolled.has(id))
  const added = missing.slice(0, Math.max(0, enrollments_max - campaign.counts.enrolled))
  const created_at = clock.iso(at.now)
  if (added.length > 0) {
    const rows = added.map(({ id: contact_id, phone_number }) => ({
      id: newId(),
      campaign_id,
      contact_id,
      variables: by_contact.get(contact_id)?.variables ?? {},
      rank: rankOf(seed, phone_number),
      created_at,
    }))
    await insertRows(at, rows)
    const change = { campaign_id, counted: 'status', from: null, to: 'pending' } as const
    await count(
      at,
      added.map(() => change),
    )
    await wake(at, campaign)
  }
  const not_enrolled = missing.length - added.length
  return { enrolled: added.length, already_enrolled: enrolled.size, not_enrolled }
}

async function findEnrolled(
  { db, workspace }: At,
  { campaign_id, contact_ids }: { campaign_id: string; contact_ids: string[] },
): Promise<Set<string>> {
  const rows = await db.many<{ contact_id: string }>(
    sql`select contact_id from enrollments where workspace_id = ${workspace} and campaign_id = ${campaign_id}
      and contact_id = any(${toArrayLiteral(contact_ids)}::uuid[])`,
  )
  return new Set(rows.map(({ contact_id }) => contact_id))
}

export const noRoom = () =>
  invalidState(`A campaign can have at most ${enrollments_max} contacts.`, { enrolled_max: enrollments_max })

/**
 * Returns the order among enrollments that are due at the same time. The same people have the same order in every
 * workspace with the seed.
 * @internal
 */
export const rankOf = (seed: number, phone_number: string): number =>
  hash('sha256', `${seed} ${phone_number}`, 'buffer').readInt32BE()

/** Reads the seed of the test clock. It is 0 in a live workspace. */
const readRankSeed = async (at: At): Promise<number> => (timeStands(at) ? clocks.readSeed(at) : 0)
