import type { Message } from '../conversations/schema.ts'

type Status = Message['status']

/**
 * The rank of a status. Reports of carriers arrive in any order, and more than once: the one with the highest rank
 * holds.
 */
const rank: Record<Status, number> = { queued: 0, unknown: 1, sent: 2, failed: 3, delivered: 4 }

export interface Report {
  status: Status
  error: string | null
}

export const merge = (before: Report, after: Report): Report =>
  rank[after.status] > rank[before.status] ? after : before

export type Milestone = 'sent' | 'delivered' | 'failed'

/** Returns the milestones of a message. A message that the carrier knows was sent, also when it is not delivered. */
const milestonesOf = ({ status, carrier_id }: { status: Status; carrier_id: string | null }): Milestone[] => [
  ...(carrier_id === null ? [] : (['sent'] as const)),
  ...(status === 'delivered' ? (['delivered'] as const) : []),
  ...(status === 'failed' || status === 'unknown' ? (['failed'] as const) : []),
]

/** Returns the milestones between two states, in order. */
export function newMilestones(
  before: { status: Status; carrier_id: string | null },
  after: { status: Status; carrier_id: string | null },
): Milestone[] {
  const passed = milestonesOf(before)
  return milestonesOf(after).filter((milestone) => !passed.includes(milestone))
}
