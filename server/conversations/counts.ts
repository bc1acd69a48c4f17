import type { InWorkspace } from '../kit/at.ts'
import { type CountChange, slottedCounts } from '../kit/postgres/slotted-counts.ts'
import type { Conversation } from './schema.ts'

const kept = slottedCounts<CountChange<Conversation['status']>>('conversation_counts', {
  value: { name: 'status', type: 'text' },
})

export const { selectTotal } = kept

/** Runs in the transaction that changes the conversations. Trials are not counted. */
export const count = (
  at: InWorkspace,
  changes: (CountChange<Conversation['status']> & Pick<Conversation, 'is_test'>)[],
): Promise<void> =>
  kept.count(
    at,
    changes.flatMap(({ is_test, ...change }) => (is_test ? [] : [change])),
  )
