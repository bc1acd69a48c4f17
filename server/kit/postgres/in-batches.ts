import { setTimeout as sleep } from 'node:timers/promises'
import * as clock from '../clock.ts'

/** True when the service is about to stop: background work then starts no further batch. */
export type IsStopping = () => boolean

const never: IsStopping = () => false

/**
 * Runs batches of at most `rows_max` rows until a batch has fewer. After each batch it pauses for as long as the batch
 * took, so that it uses the database at most half of the time. Returns the total number of rows.
 */
export async function inBatches(
  rows_max: number,
  runBatch: () => Promise<number>,
  isStopping: IsStopping = never,
): Promise<number> {
  let sum = 0
  while (!isStopping()) {
    const started_ticks = clock.ticks()
    const rows = await runBatch()
    sum += rows
    if (rows < rows_max) break
    await sleep(clock.ticks() - started_ticks)
  }
  return sum
}
