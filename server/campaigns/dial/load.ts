import * as calls from '../../calls/queue.ts'
import type { At } from '../../kit/at.ts'
import { sql } from '../../kit/postgres/sql.ts'
import * as workspaces from '../../workspaces/store.ts'
import type { Load } from '../plan/candidate.ts'
import type { StoredCampaign } from '../stored-campaign.ts'
import * as attempts from './attempts.ts'

/**
 * Reads how many attempts are in flight. Calls of a campaign also count for the workspace. Messages are in flight until
 * the carrier has them.
 */
export async function readLoad(at: At, { id, kind, pacing }: StoredCampaign): Promise<Load> {
  if (kind === 'sms') return { in_flight: await countDialing(at, id), room: Number.POSITIVE_INFINITY }
  const [in_flight, { calls_in_flight_max }] = await Promise.all([
    attempts.countInFlight(at, id),
    workspaces.readSettings(at),
  ])
  const room = calls_in_flight_max - (await calls.countInFlight(at, calls_in_flight_max))
  return { in_flight, room: Math.min(room, pacing.in_flight_max) }
}

/** Counts the messages that the carrier does not have yet. */
async function countDialing({ db, workspace }: At, campaign_id: string): Promise<number> {
  const { total } = await db.one<{ total: number }>(
    sql`select count(*) as total from enrollments
      where workspace_id = ${workspace} and campaign_id = ${campaign_id} and status = 'dialing'`,
  )
  return total
}
