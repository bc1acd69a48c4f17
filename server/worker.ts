import { work as imports } from './imports/run.ts'
import * as background from './kit/work/work.ts'
import type { FlightOptions } from './webhooks/attempts-in-flight.ts'
import { openSender, sendAll } from './webhooks/sender.ts'

/** Everything that is done in the background, row by row of its tables. */
const works: background.Work[] = [imports]

export type Worker = background.Worker

export function openWorker(options: FlightOptions): Worker {
  const worker = background.openWorker(options.pool, works, options.log)
  const sender = openSender(options)
  return { stop: async () => void (await Promise.all([worker.stop(), sender.stop()])) }
}

/** Does all that is due in one workspace, and comes back. */
export async function workOff(options: FlightOptions, workspace: string): Promise<void> {
  while (await background.takeTurns(options.pool, works, options.log, () => false, workspace));
  await sendAll(options, workspace)
}
