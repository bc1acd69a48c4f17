import { openLog } from '../../server/kit/log.ts'
import { simulator } from '../../server/lines/simulator/carrier.ts'
import { openWorker, type Worker } from '../../server/worker.ts'
import type { Server } from './harness.ts'

/**
 * Runs the background work of the server's database, as a process does. Calls of live workspaces happen `speed` times faster
 * than real time, so what is written about them lies ahead of it.
 */
export function startWorker(server: Server, { speed = 1 } = {}): Worker {
  const { tools, hooks } = server.at('')
  return openWorker({
    service: { pool: server.pool, tools, hooks },
    ownAddress: () => server.url,
    events_keep_days: 30,
    carrier: { ...simulator, speed },
    log: openLog('silent'),
  })
}
