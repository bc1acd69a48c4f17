import { laterUpdate } from '../conversations/store.ts'
import { type At, inTransaction } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { sql, toArrayLiteral } from '../kit/postgres/sql.ts'
import * as workspaces from '../workspaces/store.ts'
import * as counts from './counts.ts'
import { countInFlight } from './insert.ts'

/** A scheduled call for which there is no room is tried again after this long. */
const retry_ms = 5_000

/** Lets scheduled calls that are due begin, as long as there is room for calls in flight. Returns the ids of those that may. */
export const admit = (at: At, { ids, token }: { ids: string[]; token: string }): Promise<Set<string>> =>
  inTransaction(at, async (at) => {
    const { db, workspace, now } = at
    await workspaces.lock(at)
    const { calls_in_flight_max } = await workspaces.readSettings(at)
    const room = calls_in_flight_max - (await countInFlight(at, calls_in_flight_max))
    const [admitted, waiting] = [ids.slice(0, room), ids.slice(room)]
    const these = (some: string[]) =>
      sql`workspace_id = ${workspace} and id = any(${toArrayLiteral(some)}::uuid[]) and lease_token = ${token}`
    const [queued] = await Promise.all([
      db.run(sql`update calls set status = 'queued', updated_at = ${laterUpdate(now)}
          where ${these(admitted)} and status = 'scheduled'`),
      db.run(
        sql`update calls set due_at = ${clock.iso(now + retry_ms)}, lease_token = null, lease_until = null, claims = 0
          where ${these(waiting)}`,
      ),
    ])
    await counts.count(
      at,
      Array.from({ length: queued }, () => ({ from: 'scheduled' as const, to: 'queued' as const })),
    )
    return new Set(admitted)
  })
