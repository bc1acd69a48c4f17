import * as clocks from '../../server/clocks/store.ts'
import { type At, inTransaction } from '../../server/kit/at.ts'
import { sql } from '../../server/kit/postgres/sql.ts'

/** Makes a new workspace a test workspace, whose clock begins at `at.now`. Nothing may have asked for its time before. */
export const addTestClock = (at: At, seed?: number): Promise<void> => inTransaction(at, (at) => addClockIn(at, seed))

/** Does what `addTestClock` does, in a transaction. */
export async function addClockIn(at: At, seed = clocks.default_seed): Promise<void> {
  await at.db.run(sql`update workspaces set kind = 'test' where id = ${at.workspace}`)
  await clocks.create(at, { seed })
}

const hour_s = 3_600

/** The seconds between the attempts to send a delivery to an endpoint that always fails. */
export const retry_waits_s = [5, 300, 1_800, 2 * hour_s, 5 * hour_s, 10 * hour_s, 14 * hour_s, 20 * hour_s, 24 * hour_s]

/** When all attempts are made, the first at `start`. */
export const attemptTimes = (start: number): string[] =>
  [0, ...retry_waits_s].map((_, index, waits) => {
    const passed_s = waits.slice(0, index + 1).reduce((sum, wait) => sum + wait)
    return new Date(start + passed_s * 1000).toISOString()
  })
