import { randomUUID } from 'node:crypto'
import type { InWorkspace } from '../at.ts'
import * as clock from '../clock.ts'
import type { Db } from '../postgres/pool.ts'
import { raw, sql } from '../postgres/sql.ts'
import type { State } from './state.ts'
import type { ItemLeases, WorkspaceLeases } from './work.ts'

/** By the database's time. When a lease isn't renewed for this long, another process may take it. */
export const lease_ms = 10_000
const retry_ms = 1_000

/** When a lease ends that begins or is renewed now. */
export const leaseEnd = (db: Db): string => clock.iso(db.time() + lease_ms)

/** How an engine keeps other processes from running the same items. */
export interface Leases<Item> {
  /** Before a claim. Returns false when another process has the workspace. */
  take: (at: InWorkspace, state: State<Item>) => Promise<boolean>
  /** While items run. */
  renew: (at: InWorkspace, state: State<Item>) => Promise<void>
  /** When the workspace has nothing to do, so that another process can take it at once. */
  end: (at: InWorkspace, state: State<Item>) => Promise<void>
  endAll: (db: Db) => Promise<void>
}

export const openLeases = <Item>(leases: WorkspaceLeases | ItemLeases<Item>): Leases<Item> =>
  leases.per === 'workspace' ? workspaceLeases({ table: leases.table, token: randomUUID() }) : itemLeases(leases.renew)

/** A lease that was taken or renewed a short time ago is not asked for again. */
const isRecent = ({ lease_until }: State<unknown>, now: number): boolean => lease_until - now >= lease_ms / 2

/** A table of leases, and what this process writes into it. */
interface Holder {
  table: string
  token: string
}

function workspaceLeases<Item>(holder: Holder): Leases<Item> {
  const { table, token } = holder
  const take: Leases<Item>['take'] = async (at, state) => {
    const now = at.db.time()
    if (!isRecent(state, now)) {
      const lease_until = await takeLease(at, { ...holder, now })
      state.lease_until = lease_until ?? 0
      state.is_leased_by_other = lease_until === undefined
      state.lease_retry_at = now + retry_ms
    }
    return !state.is_leased_by_other
  }
  return {
    take,
    renew: async (at, state) => void (await take(at, state)),
    end: async ({ db, workspace }, state) => {
      state.lease_until = 0
      await db.run(sql`delete from ${raw(table)} where workspace_id = ${workspace} and lease_token = ${token}`)
    },
    endAll: async (db) => void (await db.run(sql`delete from ${raw(table)} where lease_token = ${token}`)),
  }
}

/** A claim leases the items themselves, and they end their leases. */
const itemLeases = <Item>(renew: ItemLeases<Item>['renew']): Leases<Item> => ({
  take: async () => true,
  renew: async (at, state) => {
    const now = at.db.time()
    // Twice before they end: a row that is locked may be left out once.
    if (state.lease_until - now >= (2 / 3) * lease_ms) return
    await renew(at, [...state.claimed])
    // Items that are claimed later have later leases.
    state.lease_until = now + lease_ms
  },
  end: async () => {},
  endAll: async () => {},
})

/** Returns when the lease ends, or undefined when another process has it. */
export async function takeLease(
  { db, workspace }: InWorkspace,
  { table, token, now = db.time() }: Holder & { now?: number },
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
