import { setTimeout as sleep } from 'node:timers/promises'
import * as clock from '../clock.ts'

/** Whether the service is about to stop: background work begins nothing more then. */
export type IsStopping = () => boolean

const never: IsStopping = () => false

/**
 * Runs batches of at most `rows_max` rows until one has fewer. Pauses after each for as long as it took, so that half of the
 * time is left to others. Gives the number of rows.
 */
export async function inBatches(
  rows_max: number,
  runBatch: () => Promise<number>,
  isStopping: IsStopping = never,
): Promise<number> {
  let sum = 0
  while (!isStopping()) {
    const began_ticks = clock.ticks()
    const rows = await runBatch()
    sum += rows
    if (rows < rows_max) break
    await sleep(clock.ticks() - began_ticks)
  }
  return sum
}
