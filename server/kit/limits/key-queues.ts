import { type BatchLimits, openBatcher } from './batch.ts'

/**
 * Runs at most `in_flight_max` pieces of work per key at the same time, the rest in order of arrival. Like a batcher it
 * rejects work that waits too long.
 */
export function openQueuePerKey(
  in_flight_max: number,
  { wait_max_ms }: Pick<BatchLimits, 'wait_max_ms'> = {},
): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const limits = { size_max: 1, in_flight_max, ...(wait_max_ms !== undefined && { wait_max_ms }) }
  const run = openBatcher<() => Promise<void>, void>(limits, async (_key, tasks) =>
    Promise.all(tasks.map((task) => task())),
  )
  return (key, work) =>
    new Promise((resolve, reject) => {
      run(key, () => work().then(resolve, reject)).catch(reject)
    })
}
