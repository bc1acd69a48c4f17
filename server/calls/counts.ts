import { statusCounts } from '../kit/postgres/status-counts.ts'
import { statuses } from './schema.ts'

export const { count, selectTotal } = statusCounts('call_counts', statuses)
