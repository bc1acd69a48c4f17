import { randomUUID } from 'node:crypto'
import type { InWorkspace } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { ExpiringMap } from '../kit/limits/expiring-map.ts'
import { sql, toArrayLiteral } from '../kit/postgres/sql.ts'
import { type Leases, lease_ms } from '../kit/work/lease.ts'
import type { State } from '../kit/work/state.ts'

const retry_ms = 1_000
const workspaces_max = 10_000

/** A process that has the lease of a workspace sends its deliveries alone. Which ones it has claimed is in its memory only. */
export function openSenderLeases<Item>(): Leases<Item> {
  const token = randomUUID()
  /** Workspaces that another process has. Their leases are not asked for again for a while. */
  const others = new ExpiringMap<true>(retry_ms, workspaces_max)
  /** `lease_until` is undefined when another process has the lease. */
  const note = (state: State<Item>, { now, lease_until = 0 }: { now: number; lease_until: number | undefined }) => {
    state.lease_until = lease_until
    if (lease_until === 0) others.set(state.workspace, true, now)
  }
  return {
    is_per_item: false,
    take: async (at, state) => {
      const now = at.db.time()
      if (isRecent(state, now)) return true
      if (others.get(state.workspace, now)) return false
      const lease_until = await takeLease(at, { token, now })
      note(state, { now, lease_until })
      return lease_until !== undefined
    },
    renew: async (db, states) => {
      const now = db.time()
      const ending = states.filter((state) => !isRecent(state, now))
      if (ending.length === 0) return
      const lease_until = now + lease_ms
      const renewed = await db.many<{ workspace_id: string }>(
        sql`update webhook_senders set lease_until = ${clock.iso(lease_until)}
          where workspace_id = any(${toArrayLiteral(ending.map(({ workspace }) => workspace))}::uuid[])
            and lease_token = ${token}
          returning workspace_id`,
      )
      const held = new Set(renewed.map(({ workspace_id }) => workspace_id))
      // A workspace that has nothing to do any more has perhaps ended its lease meanwhile.
      for (const state of ending)
        if (state.claimed.size > 0)
          note(state, { now, lease_until: held.has(state.workspace) ? lease_until : undefined })
    },
    end: async ({ db, workspace }, state) => {
      state.lease_until = 0
      await db.run(sql`delete from webhook_senders where workspace_id = ${workspace} and lease_token = ${token}`)
    },
    endAll: async (db) => void (await db.run(sql`delete from webhook_senders where lease_token = ${token}`)),
  }
}

/** Whether a lease was taken or renewed so recently that it is not asked for again. */
const isRecent = ({ lease_until }: State<unknown>, now: number): boolean => lease_until - now >= lease_ms / 2

/** Returns when the lease ends, or undefined when another process has it. @internal */
export async function takeLease(
  { db, workspace }: InWorkspace,
  { token, now = db.time() }: { token: string; now?: number },
): Promise<number | undefined> {
  const lease_until = now + lease_ms
  const taken = await db.run(
    sql`insert into webhook_senders as held (workspace_id, lease_token, lease_until)
      values (${workspace}, ${token}, ${clock.iso(lease_until)})
      on conflict (workspace_id) do update
      set lease_token = excluded.lease_token, lease_until = excluded.lease_until
      where held.lease_token = excluded.lease_token or held.lease_until <= ${clock.iso(now)}`,
  )
  return taken > 0 ? lease_until : undefined
}
