import { localDay, startOfDay } from '../../kit/time-zone.ts'
import type { Caps } from '../settings.ts'
import type { Candidate } from './candidate.ts'

const week_days = 7

/** Tells when each cap allows the next attempt. A cap stays free from then on, until there is another attempt. */
export function capsFreeAt(
  { attempted_at, zones }: Pick<Candidate, 'attempted_at' | 'zones'>,
  caps: Caps,
): Record<keyof Caps, number> {
  const last = attempted_at.at(-1)
  return {
    per_day: freeAfter(attempted_at.at(-caps.per_day), zones, 1),
    per_week: freeAfter(attempted_at.at(-caps.per_week), zones, week_days),
    gap_hours_min: last === undefined ? Number.NEGATIVE_INFINITY : last + caps.gap_hours_min * 3_600_000,
  }
}

/** Returns the begin of the day that is this many local days after an attempt, in the zone where it is last. */
function freeAfter(attempt: number | undefined, zones: readonly string[], later_days: number): number {
  let free_at = Number.NEGATIVE_INFINITY
  if (attempt === undefined) return free_at
  for (const zone of zones) {
    free_at = Math.max(free_at, startOfDay(zone, localDay(zone, attempt) + later_days))
  }
  return free_at
}
