import type { InWorkspace } from '../at.ts'
import * as clock from '../clock.ts'
import type { Db } from '../postgres/pool.ts'
import { raw, sql } from '../postgres/sql.ts'
import type { State } from './state.ts'

/** Wall time. When a lease isn't renewed for this long, another process may take it. */
export const lease_ms = 10_000
const retry_ms = 1_000

/** Takes the lease of the workspace, or renews it when half of it is over. Returns false when another process has it. */
export async function renewLease(
  at: InWorkspace,
  state: State<unknown>,
  { table, token }: { table: string; token: string },
): Promise<boolean> {
  const now = clock.wall()
  if (state.lease_until - now < lease_ms / 2) {
    const lease_until = await takeLease(at, { table, token, now })
    state.lease_until = lease_until ?? 0
    state.is_leased_by_other = lease_until === undefined
    state.lease_retry_at = now + retry_ms
  }
  return !state.is_leased_by_other
}

/** Returns when the lease ends, or undefined when another process has it. */
export async function takeLease(
  { db, workspace }: InWorkspace,
  { table, token, now = clock.wall() }: { table: string; token: string; now?: number },
): Promise<number | undefined> {
  const lease_until = now + lease_ms
  const taken = await db.run(
    sql`insert into ${raw(table)} as held (workspace_id, lease_token, lease_until)
      values (${workspace}, ${token}, ${clock.iso(lease_until)})
      on conflict (workspace_id) do update
      set lease_token = excluded.lease_token, lease_until = excluded.lease_until
      where held.lease_token = excluded.lease_token or held.lease_until <= ${clock.iso(now)}`,
  )
  return taken > 0 ? lease_until : undefined
}

/** Ends the lease of one workspace. */
export async function endLease(
  { db, workspace }: InWorkspace,
  state: State<unknown>,
  { table, token }: { table: string; token: string },
): Promise<void> {
  state.lease_until = 0
  await db.run(sql`delete from ${raw(table)} where workspace_id = ${workspace} and lease_token = ${token}`)
}

/** Ends all leases with this token, so that other processes can go on at once. */
export async function releaseLeases(db: Db, { table, token }: { table: string; token: string }): Promise<void> {
  await db.run(sql`delete from ${raw(table)} where lease_token = ${token}`)
}
