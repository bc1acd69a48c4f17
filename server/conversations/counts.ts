import { type CountChange, slottedCounts } from '../kit/postgres/slotted-counts.ts'
import type { Conversation } from './schema.ts'

export const { count, selectTotal } = slottedCounts<CountChange<Conversation['status']>>('conversation_counts', {
  value: { name: 'status', type: 'text' },
})
