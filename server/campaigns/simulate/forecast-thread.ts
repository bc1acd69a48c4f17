import { parentPort, workerData } from 'node:worker_threads'
import type { DueEnrollment } from '../dial/candidates.ts'
import { forecastInTime } from './forecast-sample.ts'

/**
 * The code of the thread: it forecasts one campaign, and ends. `forecast.ts` starts it with a job, and sends the
 * enrollments.
 */
const { job, count, run_max_ms } = workerData
const due: DueEnrollment[] = []
const start = async () => {
  parentPort?.postMessage(await forecastInTime({ ...job, due }, run_max_ms))
}
if (count === 0) await start()
else
  parentPort?.on('message', (some: DueEnrollment[]) => {
    due.push(...some)
    if (due.length === count) void start()
  })
