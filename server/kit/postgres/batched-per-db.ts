import { type BatchLimits, openBatcher } from '../limits/batch.ts'
import type { Db } from './pool.ts'

/** A batcher for each `db`, so that services in one process and transactions share nothing. */
export function batchedPerDb<In, Out>(
  limits: BatchLimits,
  run: (db: Db, inputs: In[]) => Promise<Out[]>,
): (db: Db, key: string, input: In) => Promise<Out> {
  const batchers = new WeakMap<Db, (key: string, input: In) => Promise<Out>>()
  return (db, key, input) => {
    let batcher = batchers.get(db)
    if (!batcher) {
      batcher = openBatcher(limits, (_key, inputs) => run(db, inputs))
      batchers.set(db, batcher)
    }
    return batcher(key, input)
  }
}
