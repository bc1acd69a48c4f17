import type { Source } from '../contacts/search.ts'

export interface Overview {
  contacts: { total: number; new_this_week: number; by_source: Record<Source, number> }
  added_by_day: { day: string; total: number }[]
  events: { id: string; type: string; resource_id: string; created_at: string }[]
}
