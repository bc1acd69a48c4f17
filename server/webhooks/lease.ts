import type { At } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import type { Db } from '../kit/postgres/pool.ts'
import { sql } from '../kit/postgres/sql.ts'
import type { SenderState } from './sender-state.ts'

/** Wall time. When a lease isn't renewed for this long, another process may take it. */
export const lease_ms = 10_000
const retry_ms = 1_000

/** Takes the lease of the workspace, or renews it when half of it is over. Returns false when another process has it. */
export async function renewLease(at: At, state: SenderState, lease_token: string): Promise<boolean> {
  if (state.lease_until - at.now < lease_ms / 2) {
    const lease_until = await takeLease(at, lease_token)
    state.lease_until = lease_until ?? 0
    state.is_leased_by_other = lease_until === undefined
    state.lease_retry_at = at.now + retry_ms
  }
  return !state.is_leased_by_other
}

/** Returns when the lease ends, or undefined when another process has it. */
export async function takeLease({ db, workspace, now }: At, lease_token: string): Promise<number | undefined> {
  const lease_until = now + lease_ms
  const taken = await db.run(
    sql`insert into webhook_senders as sender (workspace_id, lease_token, lease_until)
      values (${workspace}, ${lease_token}, ${clock.iso(lease_until)})
      on conflict (workspace_id) do update
      set lease_token = excluded.lease_token, lease_until = excluded.lease_until
      where sender.lease_token = excluded.lease_token or sender.lease_until <= ${clock.iso(now)}`,
  )
  return taken > 0 ? lease_until : undefined
}

/** Ends all leases with this token, so that other processes can send at once. */
export async function releaseLeases(db: Db, lease_token: string): Promise<void> {
  await db.run(sql`delete from webhook_senders where lease_token = ${lease_token}`)
}
