import type { Log } from '../log.ts'
import { isContention } from '../postgres/errors.ts'

/** Results of this many workspaces are recorded at a time, so that most connections are left to requests. */
const concurrent_by_default = 2

interface RecorderOptions<Result> {
  record: (workspace: string, results: Result[]) => Promise<void>
  /** `is_recorded` is false when the database failed. */
  onRecorded: (workspace: string, results: Result[], ending: { is_recorded: boolean }) => void
  concurrent_max?: number
  /**
   * Returns how much a result counts against `weight_max`, the most that a batch holds. A batch has at least one
   * result.
   */
  weigh?: (result: Result) => number
  weight_max?: number
  /** Returns how long to wait after a batch of a workspace. Results that come meanwhile are in the next batch. */
  pauseAfter?: (results: Result[]) => number
  log: Log
}

export interface Recorder<Result> {
  /** An urgent result doesn't wait for the end of a pause. */
  add: (workspace: string, result: Result, options?: { is_urgent?: boolean }) => void
}

/** Records results in batches, by workspace: those added while a batch is being written, or in the pause after it, form the next. */
export function openRecorder<Result>({
  record,
  onRecorded,
  concurrent_max = concurrent_by_default,
  weigh = () => 1,
  weight_max = Number.POSITIVE_INFINITY,
  pauseAfter = () => 0,
  log,
}: RecorderOptions<Result>): Recorder<Result> {
  const unrecorded = new Map<string, Result[]>()
  const recording = new Set<string>()
  const pausing = new Map<string, NodeJS.Timeout>()

  function recordNext(): void {
    for (const [workspace, results] of unrecorded) {
      if (recording.size === concurrent_max) return
      if (recording.has(workspace) || pausing.has(workspace)) continue
      unrecorded.delete(workspace)
      recording.add(workspace)
      const batch = takeBatch(results, weigh, weight_max)
      // The rest comes after the results of other workspaces.
      if (results.length > 0) unrecorded.set(workspace, results)
      recordBatch(workspace, batch).catch((error: unknown) => log.error({ err: error }, 'recording results failed'))
    }
  }

  async function recordBatch(workspace: string, results: Result[]): Promise<void> {
    const is_recorded = await tryTwice(workspace, results)
    recording.delete(workspace)
    pause(workspace, pauseAfter(results))
    recordNext()
    onRecorded(workspace, results, { is_recorded })
  }

  function pause(workspace: string, pause_ms: number): void {
    if (pause_ms === 0) return
    const timer = setTimeout(() => {
      pausing.delete(workspace)
      recordNext()
    }, pause_ms)
    pausing.set(workspace, timer)
  }

  function endPause(workspace: string): void {
    clearTimeout(pausing.get(workspace))
    pausing.delete(workspace)
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
    add(workspace, result, { is_urgent = false } = {}) {
      if (is_urgent) endPause(workspace)
      const results = unrecorded.get(workspace)
      if (results) results.push(result)
      else unrecorded.set(workspace, [result])
      recordNext()
    },
  }
}

/** Removes and returns the first items, as many as `weight_max` allows, but at least one. */
export function takeBatch<T>(all: T[], weigh: (one: T) => number, weight_max: number): T[] {
  let weight = 0
  const beyond = all.findIndex((one) => {
    weight += weigh(one)
    return weight > weight_max
  })
  return all.splice(0, beyond < 0 ? all.length : Math.max(1, beyond))
}
