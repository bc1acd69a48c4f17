import type { Log } from '../log.ts'
import { isContention } from '../postgres/errors.ts'

/** At most two at a time, so that most connections are left to requests. */
const concurrent_max = 2

interface RecorderOptions<Result> {
  record: (workspace: string, results: Result[]) => Promise<void>
  /** `is_recorded` is false when the database failed. */
  onRecorded: (workspace: string, results: Result[], is_recorded: boolean) => void
  log: Log
}

export interface Recorder<Result> {
  add: (workspace: string, result: Result) => void
}

/** Records results in batches, by workspace: those added while one batch is being written form the next. */
export function openRecorder<Result>({ record, onRecorded, log }: RecorderOptions<Result>): Recorder<Result> {
  let unrecorded = new Map<string, Result[]>()
  let is_busy = false

  async function recordAll(): Promise<void> {
    is_busy = true
    while (unrecorded.size > 0) {
      // The two share this iterator, so each workspace is recorded once.
      const batches = unrecorded.entries()
      unrecorded = new Map()
      const recordNext = async () => {
        for (const [workspace, results] of batches) onRecorded(workspace, results, await tryTwice(workspace, results))
      }
      await Promise.all(Array.from({ length: concurrent_max }, recordNext))
    }
    is_busy = false
  }

  /** Tries again when another transaction interferes. Returns false when the results could not be recorded. */
  async function tryTwice(workspace: string, results: Result[]): Promise<boolean> {
    try {
      await record(workspace, results).catch((error: unknown) => {
        if (!isContention(error)) throw error
        return record(workspace, results)
      })
      return true
    } catch (error) {
      log.warn({ err: error, workspace_id: workspace }, 'results of background work could not be recorded')
      return false
    }
  }

  return {
    add(workspace, result) {
      const results = unrecorded.get(workspace)
      if (results) results.push(result)
      else unrecorded.set(workspace, [result])
      if (!is_busy) recordAll().catch((error: unknown) => log.error({ err: error }, 'recording results failed'))
    },
  }
}
