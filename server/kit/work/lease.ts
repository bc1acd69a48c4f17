import type { InWorkspace } from '../at.ts'
import * as clock from '../clock.ts'
import { inParallel } from '../limits/in-parallel.ts'
import type { Db } from '../postgres/pool.ts'
import type { State } from './state.ts'

/** When a lease isn't renewed for this long, by the database's time, another process may take it. */
export const lease_ms = 10_000
/**
 * This many statements renew leases of items at a time, each of another workspace, so that most connections are left to
 * requests.
 */
const concurrent_renewals_max = 4

/** Returns when a lease ends that begins or is renewed now. */
export const leaseEnd = (db: Db): string => clock.iso(db.time() + lease_ms)

/** How an engine keeps other processes from running the same items. */
export interface Leases<Item> {
  /** Whether a claim leases each item. If not, all of the workspace is leased, up to `lease_until` of its state. */
  is_per_item: boolean
  /**
   * Called before a claim. Returns false when nothing may be claimed, because another process has the workspace, for
   * example.
   */
  take: (at: InWorkspace, state: State<Item>) => Promise<boolean>
  /** Called while items run, for all workspaces at once: one after the other would take longer than a lease lasts. */
  renew: (db: Db, states: State<Item>[]) => Promise<void>
  /** Called when the workspace has nothing to do, so that another process can take it at once. */
  end?: (at: InWorkspace, state: State<Item>) => Promise<void>
  endAll?: (db: Db) => Promise<void>
}

/** Extends the leases of running items, and returns those. It leaves out items whose rows are locked. */
type Renew<Item> = (at: InWorkspace, items: Item[]) => Promise<{ id: string }[]>

/** Leases of single items: a claim leases the items themselves, and they end their leases. */
export const itemLeases = <Item extends { id: string }>(renew: Renew<Item>): Leases<Item> => {
  /**
   * Items whose rows were locked. They are tried again at each check, long before their leases end. Some may have no
   * lease any more.
   */
  const left_out = new WeakMap<State<Item>, Item[]>()
  const renewThese = async (db: Db, state: State<Item>, items: Item[]) => {
    const renewed = new Set((await renew({ db, workspace: state.workspace }, items)).map(({ id }) => id))
    const rest = items.filter(({ id }) => !renewed.has(id))
    left_out.set(state, rest)
    return rest.length === 0
  }
  const renewAll = async (db: Db, state: State<Item>) => {
    const now = db.time()
    const is_complete = await renewThese(db, state, [...state.claimed])
    // Items that are claimed later have later leases.
    state.lease_until = now + lease_ms
    return is_complete
  }
  const renewLeftOut = async (db: Db, state: State<Item>) => {
    const items = left_out.get(state)?.filter((item) => state.claimed.has(item)) ?? []
    if (items.length > 0) await renewThese(db, state, items)
  }
  return {
    is_per_item: true,
    take: async ({ db }, state) => {
      const now = db.time()
      if (state.claimed.size === 0) state.lease_until = now + lease_ms
      // The leases have ended because the database was away. They are renewed first, or items that still run here would
      // be claimed twice.
      else if (state.lease_until <= now) return renewAll(db, state)
      return true
    },
    // The items may be on different shards, so each workspace has a statement of its own.
    renew: async (db, states) => {
      const now = db.time()
      const isEnding = ({ lease_until }: State<Item>) => lease_until - now < (2 / 3) * lease_ms
      await inParallel(states, { at_once: concurrent_renewals_max }, async (state) => {
        await (isEnding(state) ? renewAll(db, state) : renewLeftOut(db, state))
      })
    },
  }
}
