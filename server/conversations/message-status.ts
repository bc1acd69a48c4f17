import type { Message } from './schema.ts'

type Status = Message['status']

/** Reports of carriers arrive in any order, and more than once. The one that ranks highest holds. */
const rank: Record<Status, number> = { queued: 0, unknown: 1, sent: 2, failed: 3, delivered: 4 }

export interface Report {
  status: Status
  error: string | null
}

export const merge = (before: Report, after: Report): Report =>
  rank[after.status] > rank[before.status] ? after : before

/** What has happened between two states, in order. */
export function milestones(before: Status, after: Status): ('sent' | 'delivered' | 'failed')[] {
  if (before === after) return []
  if (after === 'failed' || after === 'unknown') return ['failed']
  const is_sent_now = rank[before] < rank.sent
  return [...(is_sent_now ? (['sent'] as const) : []), ...(after === 'delivered' ? (['delivered'] as const) : [])]
}
