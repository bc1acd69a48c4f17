import { work as imports } from './imports/run.ts'
import type { Pool } from './kit/db.ts'
import type { Log } from './kit/log.ts'
import * as background from './kit/work.ts'

/** Everything that is done in the background, row by row of its tables. */
const works: background.Work[] = [imports]

export type Worker = background.Worker

export const openWorker = (pool: Pool, log: Log): Worker => background.openWorker(pool, works, log)

/** Does all that is due in one workspace, and comes back. */
export async function workOff(pool: Pool, workspace: string, log: Log): Promise<void> {
  while (await background.takeTurns(pool, works, log, () => false, workspace));
}
