import { batchedPerDb } from './batched-per-db.ts'
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
  const readOnce = batchedPerDb(limits, async (_db, waiting: At[]) => {
    const [first] = waiting
    if (!first) return []
    const result = await read(first)
    return waiting.map(() => result)
  })
  return (at) => readOnce(at.db, at.workspace, at)
}
