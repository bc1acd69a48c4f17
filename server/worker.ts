import { work as imports } from './imports/run.ts'
import * as background from './kit/work/work.ts'
import { openSender, sendAll } from './webhooks/sender.ts'
import type { SendingOptions } from './webhooks/sending.ts'

/** Background work whose state is in the rows of a table. */
const works: background.Work[] = [imports]

export type Worker = background.Worker

export function openWorker(options: SendingOptions): Worker {
  const worker = background.openWorker(options.service, works, options.log)
  const sender = openSender(options)
  return { stop: async () => void (await Promise.all([worker.stop(), sender.stop()])) }
}

/** Runs everything that is due in one workspace, then returns. */
export async function runDue(options: SendingOptions, workspace: string): Promise<void> {
  while (await background.takeTurns(options.service, works, options.log, () => false, workspace));
  await sendAll(options, workspace)
}
