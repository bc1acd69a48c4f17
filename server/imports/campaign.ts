import { enroll, lockOpen } from '../campaigns/enroll.ts'
import { unknown } from '../conversations/member-faults.ts'
import type { At } from '../kit/at.ts'
import { invalid, Problem } from '../kit/problem.ts'

/** Throws unless contacts can be enrolled in the campaign. */
export async function assertEnrollable(at: At, campaign_id: string): Promise<void> {
  await lockOpen(at, campaign_id).catch((error) => {
    const is_missing = error instanceof Problem && error.code === 'NOT_FOUND'
    throw is_missing ? invalid([unknown('campaign_id', 'a campaign')]) : error
  })
}

/** The contacts are imported even if they can't be enrolled any more. Returns why they were not. */
export async function enrollImported(
  at: At,
  { campaign_id, people }: { campaign_id: string; people: { contact_id: string }[] },
): Promise<string | undefined> {
  if (people.length === 0) return undefined
  try {
    await enroll(at, { campaign_id, members: people.map(({ contact_id }) => ({ contact_id })) })
    return undefined
  } catch (error) {
    // Thrown before anything is written.
    if (!(error instanceof Problem)) throw error
    const reason = error.code === 'NOT_FOUND' ? 'The campaign was deleted.' : error.message
    return `Contacts were imported, and not enrolled: ${reason}`
  }
}
