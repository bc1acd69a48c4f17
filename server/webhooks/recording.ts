import { type At, inTransaction } from '../kit/at.ts'
import type { Log } from '../kit/log.ts'
import { isContention } from '../kit/postgres/errors.ts'
import { status_gone } from './attempt.ts'
import * as claims from './claims.ts'
import { isFailing } from './sender-state.ts'
import * as webhooks from './store.ts'

/** At most two at a time, so that most connections are left to requests. */
const concurrent_max = 2

export interface RecorderOptions {
  at: (workspace: string) => At
  log: Log
  /** `is_recorded` is false when the database failed. */
  onRecorded: (workspace: string, deliveries: claims.Claimed[], is_recorded: boolean) => void
  onIdle: () => void
}

export interface Recorder {
  add: (result: claims.Result) => void
  isBusy: () => boolean
}

/** Records results in batches: those added while one batch is being written form the next. */
export function openRecorder({ at, log, onRecorded, onIdle }: RecorderOptions): Recorder {
  const unrecorded: claims.Result[] = []
  let is_busy = false

  async function recordAll(): Promise<void> {
    is_busy = true
    while (unrecorded.length > 0) {
      // The workers share this iterator, so each workspace is recorded once.
      const batches = Map.groupBy(unrecorded.splice(0), ({ delivery }) => delivery.workspace).entries()
      const work = async () => {
        for (const [workspace, results] of batches) {
          const is_recorded = await record(at(workspace), results, log)
          const deliveries = results.map(({ delivery }) => delivery)
          onRecorded(workspace, deliveries, is_recorded)
        }
      }
      await Promise.all(Array.from({ length: concurrent_max }, work))
    }
    is_busy = false
    onIdle()
  }

  return {
    add(result) {
      unrecorded.push(result)
      if (!is_busy) recordAll().catch((error: unknown) => log.error({ err: error }, 'recording deliveries failed'))
    },
    isBusy: () => is_busy,
  }
}

/** Tries twice when another transaction interferes. Returns false when the results could not be recorded. */
async function record(at: At, results: claims.Result[], log: Log): Promise<boolean> {
  const write = () => recordAndDisable(at, results)
  try {
    await write().catch((error: unknown) => {
      if (!isContention(error)) throw error
      return write()
    })
    return true
  } catch (error) {
    log.warn({ err: error, workspace_id: at.workspace }, 'results of deliveries could not be recorded')
    return false
  }
}

/** Disables endpoints that answered 410, or that were failing before and have failed for too long. */
function recordAndDisable(at: At, results: claims.Result[]): Promise<void> {
  const failed = results.filter(({ status }) => status !== 'succeeded')
  // These are recorded by one statement.
  if (failed.length === 0 && !results.some(({ delivery }) => isFailing(delivery)))
    return claims.recordResults(at, results)
  const deliveriesOf = (chosen: claims.Result[]) => chosen.map(({ delivery }) => delivery)
  return inTransaction(at, async (at) => {
    await claims.recordResults(at, results)
    const gone = deliveriesOf(failed.filter(({ attempt }) => attempt.status === status_gone))
    await webhooks.disable(at, { endpoints: gone, reason: 'gone' })
    const failing = deliveriesOf(failed.filter(({ delivery }) => isFailing(delivery)))
    await webhooks.disable(at, { endpoints: failing, reason: 'failing' })
  })
}
