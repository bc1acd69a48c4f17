import * as clock from '../../kit/clock.ts'
import type { Forecast } from '../forecast-schema.ts'
import type { ForecastJob, ForecastResult } from './forecast-job.ts'

const intervals_max = 200
const minute_ms = 60_000

/** What clients see of a simulation. Runs in the thread: there may be very many attempts. */
export function summarizeForecast(job: ForecastJob, { attempts, ends, is_complete }: ForecastResult): Forecast {
  const own_calls = job.in_flight.filter(({ campaign_id }) => campaign_id === job.campaign.id)
  const last = [...attempts, ...own_calls].reduce((latest, { ended_at }) => Math.max(latest, ended_at), job.from)
  const skips = countBy(ends.flatMap(({ status, reason }) => (status === 'skipped' ? [reason ?? 'skipped'] : [])))
  return {
    seed: job.seed,
    is_sampled: job.total > job.due.length,
    simulated: job.due.length,
    expected_end_at: is_complete ? clock.iso(last) : null,
    timeline: timelineOf(job.from, last, { attempts, own_calls }),
    by_outcome: countBy(attempts.map(({ outcome }) => outcome)),
    by_status: countBy(ends.map(({ status }) => status)),
    skips,
    warnings: warningsOf(skips, { is_complete, has_contacts: job.due.length > 0 }),
  }
}

function countBy(names: string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

/** Intervals last whole minutes. */
function timelineOf(
  from: number,
  last: number,
  { attempts, own_calls }: Pick<ForecastResult, 'attempts'> & { own_calls: ForecastJob['in_flight'] },
): Forecast['timeline'] {
  const length_ms = Math.max(minute_ms, clock.ceilTo((last - from + 1) / intervals_max, minute_ms))
  const intervals = Array.from({ length: Math.floor((last - from) / length_ms) + 1 }, (_, index) => ({
    at: clock.iso(from + index * length_ms),
    starts: 0,
    in_flight: 0,
    answered: 0,
  }))
  const goOn = (during: typeof intervals) => {
    for (const interval of during) interval.in_flight += 1
  }
  const indexOf = (time: number) => Math.floor((time - from) / length_ms)
  for (const { at, ended_at, outcome } of attempts) {
    const [begun, ended] = [indexOf(at), indexOf(ended_at)]
    const interval = intervals[begun]
    if (interval) interval.starts += 1
    if (interval && (outcome === 'answered' || outcome === 'replied')) interval.answered += 1
    goOn(intervals.slice(begun, ended))
  }
  for (const { ended_at } of own_calls) goOn(intervals.slice(0, indexOf(ended_at)))
  return intervals
}

function warningsOf(
  { never_open = 0, no_time_zone = 0 }: Record<string, number>,
  { is_complete, has_contacts }: { is_complete: boolean; has_contacts: boolean },
): string[] {
  return [
    ...(has_contacts ? [] : ['No contacts are enrolled.']),
    ...(never_open > 0 ? [`${never_open} contacts have no hour in which all their time zones are open.`] : []),
    ...(no_time_zone > 0
      ? [`${no_time_zone} contacts have no known time zone. Set the time zone of the campaign to reach them.`]
      : []),
    ...(is_complete ? [] : ['Not all contacts are reached before the campaign ends, or within a year.']),
  ]
}
