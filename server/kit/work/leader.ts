import { randomUUID } from 'node:crypto'
import * as clock from '../clock.ts'
import type { Log } from '../log.ts'
import type { Db, Pool } from '../postgres/pool.ts'
import { sql } from '../postgres/sql.ts'

/** When the leader doesn't renew its lease for this long, by the database's time, another process takes over. */
const lease_ms = 15_000
const renew_every_ms = 5_000

export interface Leader {
  isLeader: () => boolean
  /** Ends the lease, so that another process can take over at once. */
  stop: () => Promise<void>
}

/** Makes one of the processes that share the database the leader for `name`. Calls `onElected` when it is this one. */
export function openLeader(pool: Pool, name: string, onElected: () => void, log: Log): Leader {
  const token = randomUUID()
  let leader_until = 0
  let is_stopping = false
  const isLeader = () => leader_until > clock.ticks() && !is_stopping

  async function renew(): Promise<void> {
    const began_ticks = clock.ticks()
    const was_leader = isLeader()
    try {
      await pool.measureTime()
      leader_until = (await takeLease(pool, name, token)) ? began_ticks + lease_ms : 0
    } catch (error) {
      log.warn({ err: error }, 'the lease of the periodic tasks could not be renewed')
    }
    if (!was_leader && isLeader()) onElected()
  }

  let renewing = renew()
  const timer = setInterval(() => {
    renewing = renewing.then(renew)
  }, renew_every_ms).unref()
  return {
    isLeader,
    async stop() {
      is_stopping = true
      clearInterval(timer)
      await renewing
      await pool
        .run(sql`delete from process_leases where name = ${name} and lease_token = ${token}`)
        .catch((error: unknown) => log.warn({ err: error }, 'the lease of the periodic tasks could not be ended'))
    },
  }
}

/** Whether some process is the leader for `name`. */
export const hasLeader = async (db: Db, name: string): Promise<boolean> =>
  (await db.run(sql`select from process_leases where name = ${name} and lease_until > ${clock.iso(db.time())}`)) > 0

async function takeLease(pool: Pool, name: string, token: string): Promise<boolean> {
  const now = pool.time()
  const taken = await pool.run(
    sql`insert into process_leases (name, lease_token, lease_until)
      values (${name}, ${token}, ${clock.iso(now + lease_ms)})
      on conflict (name) do update set lease_token = excluded.lease_token, lease_until = excluded.lease_until
      where process_leases.lease_token = excluded.lease_token or process_leases.lease_until <= ${clock.iso(now)}`,
  )
  return taken > 0
}
