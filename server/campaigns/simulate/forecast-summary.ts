import { hearsLanguage } from '../../agents/configuration.ts'
import * as clock from '../../kit/clock.ts'
import type { Forecast } from '../forecast-schema.ts'
import { type ForecastJob, type ForecastResult, type SimulatedForecast, scaleOf } from './forecast-job.ts'

const intervals_max = 200
const minute_ms = 60_000

/** 90 % of the results of a few simulations lie within this many deviations: Student's t. */
const deviations = 1.9

/** Summarizes a simulation for clients. Runs in the thread, because there may be very many attempts. */
export function summarizeForecast({
  job,
  result,
}: SimulatedForecast): Omit<Forecast, 'expected_end' | 'by_outcome_interval'> {
  const { attempts, ends, is_complete } = result
  const scale = scaleOf(job)
  const last = endOf({ job, result })
  const skips = countBy(
    ends.flatMap(({ status, reason }) => (status === 'skipped' ? [reason ?? 'skipped'] : [])),
    scale,
  )
  return {
    seed: job.seed,
    is_sampled: scale > 1,
    simulated: job.due.length,
    expected_end_at: is_complete ? clock.iso(last) : null,
    timeline: timelineOf(job.from, last, { attempts, own_calls: ownCalls(job), scale }),
    by_outcome: outcomesOf({ job, result }),
    by_status: countBy(
      ends.map(({ status }) => status),
      scale,
    ),
    skips,
    warnings: [...warningsOf(skips, { is_complete, has_contacts: job.due.length > 0 }), ...optOutWarnings(job)],
  }
}

const ownCalls = ({ in_flight, campaign }: ForecastJob) =>
  in_flight.filter(({ campaign_id }) => campaign_id === campaign.id)

const endOf = ({ job, result }: SimulatedForecast): number =>
  [...result.attempts, ...ownCalls(job)].reduce((latest, { ended_at }) => Math.max(latest, ended_at), job.from)

const outcomesOf = ({ job, result }: SimulatedForecast): Record<string, number> =>
  countBy(
    result.attempts.map(({ outcome }) => outcome),
    scaleOf(job),
  )

/**
 * Computes where the end and the outcomes of a run lie in nine of ten cases, by the differences of simulations with
 * other seeds.
 */
export function intervalsOf(
  largest: SimulatedForecast,
  repeated: SimulatedForecast[],
): Pick<Forecast, 'expected_end' | 'by_outcome_interval'> {
  const { job, result } = largest
  const [size = 0] = repeated.map((one) => one.job.due.length)
  // Both this forecast and the run to come are off by chance. The more contacts they have, the less they are off.
  const width = deviations * Math.sqrt(size / Math.max(1, job.due.length) + size / Math.max(1, job.total))
  const around = (value: number, others: number[], min: number) => {
    const half = width * deviationOf(others)
    return { low: Math.max(min, Math.floor(value - half)), high: Math.ceil(value + half) }
  }
  const end = around(endOf(largest), repeated.map(endOf), job.from)
  const [outcomes, others] = [outcomesOf(largest), repeated.map(outcomesOf)]
  const names = new Set([outcomes, ...others].flatMap((counts) => Object.keys(counts)))
  return {
    expected_end: result.is_complete ? { low: clock.iso(end.low), high: clock.iso(end.high) } : null,
    by_outcome_interval: Object.fromEntries(
      [...names].map((name) => [
        name,
        around(
          outcomes[name] ?? 0,
          others.map((counts) => counts[name] ?? 0),
          0,
        ),
      ]),
    ),
  }
}

function deviationOf(values: number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1))
}

/** Counts names. Each stands for as many as the scale says. */
function countBy(names: string[], scale: number): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, Math.round(count * scale)]))
}

/** Makes the timeline. Intervals last whole minutes. */
function timelineOf(
  from: number,
  last: number,
  {
    attempts,
    own_calls,
    scale,
  }: Pick<ForecastResult, 'attempts'> & { own_calls: ForecastJob['in_flight']; scale: number },
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
  if (scale > 1)
    for (const interval of intervals) {
      interval.starts = Math.round(interval.starts * scale)
      interval.in_flight = Math.round(interval.in_flight * scale)
      interval.answered = Math.round(interval.answered * scale)
    }
  for (const { ended_at } of own_calls) goOn(intervals.slice(0, indexOf(ended_at)))
  return intervals
}

/** Warns if people who are called can't opt out, neither by words that are heard nor by a key. */
function optOutWarnings({ campaign, versions }: ForecastJob): string[] {
  const cantOptOut = ({ configuration }: ForecastJob['versions'][string]) =>
    configuration.opt_out_key === null && !hearsLanguage(configuration)
  return campaign.kind === 'voice' && Object.values(versions).some(cantOptOut)
    ? [
        "People can't opt out in a call: the agent doesn't hear the language that it speaks, and has no key that ends calls for good.",
      ]
    : []
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
