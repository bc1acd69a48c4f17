import { queryOptions } from '@tanstack/react-query'
import type { CallAnalytics, ConversationAnalytics } from '../../../server/analytics/schema.ts'
import type { Api } from '../kit/api.ts'

const day_ms = 86_400_000
const days = 7

/** What an agent did in the last seven days. */
export interface Activity {
  conversations: number
  calls: number
  answered: number
  /** When the last day with a conversation or a call began, in the workspace's time zone. */
  last_day: string
}

export const activityQuery = (api: Api, now: number) =>
  queryOptions({
    queryKey: [api.workspace, 'analytics', 'agents'],
    queryFn: async ({ signal }) => {
      const query = { from: new Date(now - days * day_ms).toISOString(), group_by: 'agent_id' }
      const [conversations, calls] = await Promise.all([
        api.get<ConversationAnalytics>('/analytics/conversations', query, signal),
        api.get<CallAnalytics>('/analytics/calls', query, signal),
      ])
      return byAgent([
        ...conversations.rows.map((row) => ({ ...row, calls: 0, answered: 0 })),
        ...calls.rows.map((row) => ({ ...row, conversations: 0 })),
      ])
    },
  })

type Row = Omit<Activity, 'last_day'> & { start: string; group: Record<string, string | null> }

function byAgent(rows: Row[]): Map<string, Activity> {
  const all = new Map<string, Activity>()
  for (const { group, start, conversations, calls, answered } of rows) {
    if (!group.agent_id) continue
    const before = all.get(group.agent_id) ?? { conversations: 0, calls: 0, answered: 0, last_day: start }
    all.set(group.agent_id, {
      conversations: before.conversations + conversations,
      calls: before.calls + calls,
      answered: before.answered + answered,
      last_day: start > before.last_day ? start : before.last_day,
    })
  }
  return all
}

/** Describes a day as "Today" and the like, by the days of the workspace. */
export function describeDay(start: string, now: number): string {
  const ago = Math.floor((now - Date.parse(start)) / day_ms)
  if (ago <= 0) return 'Today'
  return ago === 1 ? 'Yesterday' : `${ago} days ago`
}
