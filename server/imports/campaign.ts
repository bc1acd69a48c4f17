import { enroll, lockOpen, type Member, noRoom } from '../campaigns/enroll.ts'
import { unknown } from '../conversations/begin.ts'
import type { At } from '../kit/at.ts'
import { invalid, Problem } from '../kit/problem.ts'

/** Throws unless contacts can be enrolled in the campaign. */
export async function assertEnrollable(at: At, campaign_id: string): Promise<void> {
  await lockOpen(at, campaign_id).catch((error) => {
    const is_missing = error instanceof Problem && error.code === 'NOT_FOUND'
    throw is_missing ? invalid([unknown('campaign_id', 'a campaign')]) : error
  })
}

export interface NotEnrolled {
  not_enrolled: number
  /** Why some were not enrolled. It is null if all were. */
  error: string | null
}

/** Enrolls imported contacts. They are imported even if they can't be enrolled any more. */
export async function enrollImported(
  at: At,
  { campaign_id, people }: { campaign_id: string; people: Member[] },
): Promise<NotEnrolled> {
  if (people.length === 0) return { not_enrolled: 0, error: null }
  try {
    const members = people.map(({ contact_id, variables }) => ({ contact_id, variables }))
    const { not_enrolled } = await enroll(at, { campaign_id, members })
    return { not_enrolled, error: not_enrolled > 0 ? explain(noRoom().message) : null }
  } catch (error) {
    // The error was thrown before anything was written.
    if (!(error instanceof Problem)) throw error
    const reason = error.code === 'NOT_FOUND' ? 'The campaign was deleted.' : error.message
    return { not_enrolled: people.length, error: explain(reason) }
  }
}

const explain = (reason: string): string => `Contacts were imported, and not enrolled: ${reason}`
