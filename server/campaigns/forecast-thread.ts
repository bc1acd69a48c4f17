import { parentPort, workerData } from 'node:worker_threads'
import { simulateJob } from './forecast-run.ts'

/** The whole thread: it forecasts one campaign, and ends. `forecast.ts` starts it with a job. */
parentPort?.postMessage(await simulateJob(workerData))
