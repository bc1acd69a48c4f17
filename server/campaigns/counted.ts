import * as calls from '../calls/store.ts'
import * as conversations from '../conversations/counted.ts'
import { type InWorkspace, newHook } from '../kit/at.ts'
import { isReached } from './plan/retry.ts'
import type { AttemptOutcome } from './settings.ts'

/** An attempt that has ended. Its id is that of the call or the conversation. */
export interface CountedAttempt {
  id: string
  campaign_id: string
  /** The agent of the attempt's call or conversation. All three are null when that was deleted. */
  agent_id: string | null
  agent_version_id: string | null
  channel_id: string | null
  /** Whether the call was simulated. */
  is_test: boolean
  /** When the attempt began. */
  at: number
  outcome: AttemptOutcome
  is_reached: boolean
  /** Whether the attempt has completed its enrollment. */
  is_completed: boolean
}

export interface CountedEnd extends CountedAttempt {
  /** The earlier outcome, if the attempt had ended before and is corrected. Else null. */
  refined_from: Pick<CountedAttempt, 'outcome' | 'is_reached' | 'is_completed'> | null
}

/** Runs in the transaction in which attempts end, or their outcomes are corrected. */
export const attempts_ended = newHook<CountedEnd[]>('campaigns.attempts_ended')

type WithoutKeys = Pick<CountedAttempt, 'id' | 'campaign_id' | 'at' | 'outcome' | 'is_completed'>

/** Adds the agent and the channel of the attempts. */
export async function withKeys<Attempt extends WithoutKeys>(
  at: InWorkspace,
  attempts: Attempt[],
): Promise<(Attempt & CountedAttempt)[]> {
  const ids = attempts.map(({ id }) => id)
  const of_calls = await calls.findCounted(at, ids)
  const called = new Set(of_calls.map(({ id }) => id))
  const of_threads = await conversations.findCounted(
    at,
    ids.filter((id) => !called.has(id)),
  )
  const by_id = new Map([...of_threads, ...of_calls].map((one) => [one.id, one]))
  const simulated = new Set(of_calls.flatMap(({ id, is_test }) => (is_test ? [id] : [])))
  return attempts.map((attempt) => {
    const found = by_id.get(attempt.id)
    return {
      ...attempt,
      agent_id: found?.agent_id ?? null,
      agent_version_id: found?.agent_version.id ?? null,
      channel_id: found?.channel_id ?? null,
      is_test: simulated.has(attempt.id),
      is_reached: isReached(attempt.outcome),
    }
  })
}
