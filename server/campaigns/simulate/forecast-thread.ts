import { parentPort, workerData } from 'node:worker_threads'
import type { DueEnrollment } from '../dial/candidates.ts'
import { simulateJob } from './forecast-run.ts'
import { summarizeForecast } from './forecast-summary.ts'

/** The whole thread: it forecasts one campaign, and ends. `forecast.ts` starts it with a job, and sends the enrollments. */
const { job, count } = workerData
const due: DueEnrollment[] = []
const start = async () => {
  const all = { ...job, due }
  parentPort?.postMessage(summarizeForecast(all, await simulateJob(all)))
}
if (count === 0) await start()
else
  parentPort?.on('message', (some: DueEnrollment[]) => {
    due.push(...some)
    if (due.length === count) void start()
  })
