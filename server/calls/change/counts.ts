import { type CountChange, slottedCounts } from '../../kit/postgres/slotted-counts.ts'
import type { Call } from '../schema.ts'

export const { count, selectTotal } = slottedCounts<CountChange<Call['status']>>('call_counts', {
  value: { name: 'status', type: 'text' },
})
