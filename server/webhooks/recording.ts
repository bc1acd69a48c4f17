import { type At, inTransaction } from '../kit/at.ts'
import type { Log } from '../kit/log.ts'
import { isContention } from '../kit/postgres/errors.ts'
import { gone } from './attempt.ts'
import * as claims from './claims.ts'
import * as webhooks from './store.ts'
import { isFailing } from './workspace-queue.ts'

/** Records the results of deliveries. Returns false when the database refused, also at the second try. */
export async function recordResults(at: At, results: claims.Result[], log: Log): Promise<boolean> {
  const write = () => recordAndDisable(at, results)
  try {
    await write().catch((error: unknown) => {
      if (!isContention(error)) throw error
      return write()
    })
    return true
  } catch (error) {
    log.warn({ err: error }, 'results of deliveries could not be recorded')
    return false
  }
}

/** Disables endpoints that answered 410, or that were failing before and have failed for too long. */
function recordAndDisable(at: At, results: claims.Result[]): Promise<void> {
  const failed = results.filter(({ status }) => status !== 'succeeded')
  if (failed.length === 0) return claims.recordResults(at, results)
  const endpointsOf = (chosen: claims.Result[]) => chosen.map(({ delivery }) => delivery)
  return inTransaction(at, async (at) => {
    await claims.recordResults(at, results)
    const answered_gone = endpointsOf(failed.filter(({ attempt }) => attempt.status === gone))
    await webhooks.disable(at, { endpoints: answered_gone, reason: 'gone' })
    const failing = endpointsOf(failed.filter(({ delivery }) => isFailing(delivery)))
    await webhooks.disable(at, { endpoints: failing, reason: 'failing' })
  })
}
