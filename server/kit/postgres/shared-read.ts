import { openBatcher } from '../limits/batch.ts'
import type { Db } from './pool.ts'

const limits = { size_max: 1_000, in_flight_max: 2, concurrent_size_min: 24 }

interface Place {
  db: Db
  workspace: string
}

/**
 * Concurrent reads of one workspace become one. It begins after all of them were asked for, so that it sees what was written
 * before. They get the same result, which they must not change.
 */
export function sharedRead<At extends Place, Result>(read: (at: At) => Promise<Result>): (at: At) => Promise<Result> {
  const batchers = new WeakMap<Db, (workspace: string, at: At) => Promise<Result>>()
  return (at) => {
    let batcher = batchers.get(at.db)
    if (!batcher) {
      batcher = openBatcher(limits, async (_workspace, waiting: At[]) => {
        const result = await read(waiting[0] ?? at)
        return waiting.map(() => result)
      })
      batchers.set(at.db, batcher)
    }
    return batcher(at.workspace, at)
  }
}
