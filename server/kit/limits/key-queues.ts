import { type BatchLimits, openBatcher } from './batch.ts'

export type QueuePerKey = <T>(key: string, work: () => Promise<T>) => Promise<T>

/**
 * Runs at most `in_flight_max` pieces of work per key at the same time, the rest in order of arrival. Like a batcher it
 * rejects work that waits too long.
 */
export function openQueuePerKey(in_flight_max: number, limits: Pick<BatchLimits, 'wait_max_ms'> = {}): QueuePerKey {
  const run = openBatcher<() => Promise<void>, void>({ size_max: 1, in_flight_max, ...limits }, async (_key, tasks) =>
    Promise.all(tasks.map((task) => task())),
  )
  return (key, work) =>
    new Promise((resolve, reject) => {
      run(key, () => work().then(resolve, reject)).catch(reject)
    })
}
