import * as clock from '../../kit/clock.ts'
import type { DueEnrollment } from '../dial/candidates.ts'
import type { Forecast } from '../forecast-schema.ts'
import type { ForecastJob, SimulatedForecast } from './forecast-job.ts'
import { OutOfTime, simulateJob } from './forecast-run.ts'
import { intervalsOf, summarizeForecast } from './forecast-summary.ts'
import { byDue } from './simulation.ts'

/** A campaign of up to this many contacts is simulated whole, or not at all. */
const sample_min = 200
/**
 * Simulations with other seeds show the effect of chance. Each needs few contacts: together they take half as long as
 * the largest one.
 */
const repeats = { min: 6, max: 12, share: 1 / 24, size_min: 50 }
/**
 * A larger simulation should take the first share of the time that is left, and may take the second. The rest is for
 * the repeats.
 */
const shares = { planned: 0.5, max: 0.75 }

/** Simulates as many contacts as there is time for. Returns undefined when there is no time for the fewest. */
export async function forecastInTime(job: ForecastJob, max_ms: number): Promise<Forecast | undefined> {
  const until_ticks = clock.ticks() + max_ms
  const largest = await simulateMany(job, until_ticks)
  if (!largest) return undefined
  const repeated = await repeat({ ...job, due: job.due.slice(0, largest.job.due.length) }, until_ticks)
  if (repeated.length < repeats.min) return undefined
  return { ...summarizeForecast(largest), ...intervalsOf(largest, repeated) }
}

/** Simulates a first sample, which tells for how many contacts there is time. */
async function simulateMany(job: ForecastJob, until_ticks: number): Promise<SimulatedForecast | undefined> {
  let begun_ticks = clock.ticks()
  let largest = await simulate(job, job.due.slice(0, sample_min), until_ticks)
  while (largest && largest.job.due.length < job.due.length) {
    const count = largest.job.due.length
    const [each_ms, left_ms] = [(clock.ticks() - begun_ticks) / count, until_ticks - clock.ticks()]
    const affordable = Math.floor((left_ms * shares.planned) / each_ms)
    if (affordable < Math.min(2 * count, job.due.length)) break
    begun_ticks = clock.ticks()
    const larger = await simulate(job, job.due.slice(0, affordable), begun_ticks + left_ms * shares.max)
    if (!larger) break
    largest = larger
  }
  return largest
}

async function repeat(job: ForecastJob, until_ticks: number): Promise<SimulatedForecast[]> {
  const size = Math.min(job.due.length, Math.max(repeats.size_min, Math.ceil(job.due.length * repeats.share)))
  const repeated: SimulatedForecast[] = []
  while (repeated.length < repeats.max) {
    const from = (repeated.length * size) % (job.due.length - size + 1)
    const other = { ...job, seed: job.seed + repeated.length + 1 }
    const simulated = await simulate(other, job.due.slice(from, from + size), until_ticks)
    if (!simulated) break
    repeated.push(simulated)
  }
  return repeated
}

/**
 * Simulates these contacts, which stand for all. They are copied, since a simulation changes them. Returns undefined
 * when the time is over.
 */
async function simulate(
  job: ForecastJob,
  due: DueEnrollment[],
  until_ticks: number,
): Promise<SimulatedForecast | undefined> {
  const sample = { ...job, due: due.map((one) => ({ ...one })).sort(byDue) }
  try {
    return { job: sample, result: await simulateJob(sample, until_ticks) }
  } catch (error) {
    if (error instanceof OutOfTime) return undefined
    throw error
  }
}
