import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { sql } from '../kit/postgres/sql.ts'
import * as counts from './counts.ts'
import { deleteQueued } from './rows.ts'

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

/** Returns the ids of calls of a campaign that a carrier is being asked to dial. */
export async function findDialing({ db, workspace }: At, campaign_id: string): Promise<string[]> {
  const dialing = await db.many<{ id: string }>(
    sql`select id from calls
      where workspace_id = ${workspace} and campaign_id = ${campaign_id} and is_dialing
        and lease_until > ${clock.iso(db.time())}`,
  )
  return dialing.map(({ id }) => id)
}
