import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { sql } from '../kit/postgres/sql.ts'
import * as counts from './counts.ts'
import { endUnstarted } from './end.ts'
import { deleteQueued, lockMany, waits_for_carrier } from './rows.ts'

const ended_at_once_max = 1_000

/**
 * Removes calls of a campaign that were not dialled: all, or those that were to be dialled before now. A process that is about to
 * dial one finds that it is gone. Returns their ids.
 */
export async function withdraw(at: At, these: { campaign_id: string; which: 'all' | 'late' }): Promise<string[]> {
  const removed = await deleteQueued(at, these)
  await counts.count(
    at,
    removed.map(() => ({ from: 'queued' as const, to: null })),
  )
  return removed
}

/**
 * Ends calls of a campaign that the carrier had no time for and would be asked about again. They have begun for whoever follows them, so
 * they are not removed. Returns how many.
 */
export async function endWaiting(at: At, campaign_id: string): Promise<number> {
  const where = sql`campaign_id = ${campaign_id} and ${waits_for_carrier}`
  const waiting = await lockMany(at, { where, limit: ended_at_once_max })
  await endUnstarted(at, waiting, { end_reason: 'carrier_error', ended_by: 'system' })
  return waiting.length
}

/** Returns the ids of calls of a campaign that a carrier is being asked to dial, or will be asked again. */
export async function findDialing({ db, workspace }: At, campaign_id: string): Promise<string[]> {
  const dialing = await db.many<{ id: string }>(
    sql`select id from calls
      where workspace_id = ${workspace} and campaign_id = ${campaign_id}
        and ((is_dialing and lease_until > ${clock.iso(db.time())}) or (${waits_for_carrier}))`,
  )
  return dialing.map(({ id }) => id)
}
