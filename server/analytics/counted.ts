import type { CountedCall } from '../calls/store.ts'
import type { CountedAttempt, CountedEnd } from '../campaigns/counted.ts'
import type { ConversationProgress, CountedConversation } from '../conversations/counted.ts'
import { type At, simulatesPeople } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import type { Count } from './counts.ts'

/** Simulated calls are counted only where all people are simulated. */
type Where = Pick<At, 'is_test'>

/** A call that was dialled counts from its end on, in the quarter in which it was dialled. */
export function countsOfCall(at: Where, call: CountedCall): Count[] {
  if (call.started_at === null || call.ended_at === null || (call.is_test && !simulatesPeople(at))) return []
  const outcome = call.outcome ?? 'unknown'
  return [
    {
      kind: 'calls',
      time: clock.parse(call.started_at),
      keys: { ...keysOf(call), campaign_id: call.campaign_id, outcome },
      sums: { total: 1, reached: outcome === 'answered' ? 1 : 0, cost_micros: call.cost_micros },
      times: { duration_ms: call.duration_ms, turn_ms: call.latency.turn_p50_ms },
    },
  ]
}

/** Counts a conversation. All that happens in it counts in the quarter in which it began. */
export const countOfConversation = (progress: ConversationProgress): Count => ({
  kind: 'conversations',
  time: clock.parse(progress.conversation.created_at),
  keys: keysOf(progress.conversation),
  sums: {
    total: progress.is_new ? 1 : 0,
    handed_over: progress.is_handed_over ? 1 : 0,
    closed: progress.is_closed ? 1 : 0,
    turns: progress.turns ?? 0,
  },
  times: { first_answer_ms: progress.first_answer_ms ?? null },
})

/** An attempt counts from its end on, in the quarter in which it began. */
export function countsOfAttempt(at: Where, attempt: CountedAttempt): Count[] {
  if (attempt.is_test && !simulatesPeople(at)) return []
  const { agent_id, agent_version_id, channel_id, campaign_id, outcome, is_reached, is_completed } = attempt
  return [
    {
      kind: 'campaigns',
      time: attempt.at,
      keys: { agent_id, agent_version_id, channel_id, campaign_id, outcome },
      sums: { total: 1, reached: is_reached ? 1 : 0, completed: is_completed ? 1 : 0 },
    },
  ]
}

/** Takes away what was counted of an attempt whose outcome is corrected. */
export const countsBefore = (where: Where, { refined_from, ...attempt }: CountedEnd): Count[] =>
  refined_from === null ? [] : countsOfAttempt(where, { ...attempt, ...refined_from }).map(takenAway)

export const takenAway = (count: Count): Count => ({ ...count, by: -1 })

const keysOf = ({
  agent_id,
  agent_version,
  channel_id,
}: Pick<CountedConversation, 'agent_id' | 'agent_version' | 'channel_id'>) => ({
  agent_id,
  agent_version_id: agent_version.id,
  channel_id,
})
