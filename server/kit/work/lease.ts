import { randomUUID } from 'node:crypto'
import type { InWorkspace } from '../at.ts'
import * as clock from '../clock.ts'
import type { Db } from '../postgres/pool.ts'
import { raw, sql, toArrayLiteral } from '../postgres/sql.ts'
import type { State } from './state.ts'
import type { ItemLeases, WorkspaceLeases } from './work.ts'

/** When a lease isn't renewed for this long, by the database's time, another process may take it. */
export const lease_ms = 10_000
const retry_ms = 1_000
/** Statements that renew leases of items, each of another workspace, so that most connections are left to requests. */
const concurrent_renewals_max = 4

/** When a lease ends that begins or is renewed now. */
export const leaseEnd = (db: Db): string => clock.iso(db.time() + lease_ms)

/** How an engine keeps other processes from running the same items. */
export interface Leases<Item> {
  /** Before a claim. Returns false when another process has the workspace. */
  take: (at: InWorkspace, state: State<Item>) => Promise<boolean>
  /** While items run, for all workspaces at once: one after the other would take longer than a lease lasts. */
  renew: (db: Db, states: State<Item>[]) => Promise<void>
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
  /** `lease_until` is undefined when another process has the lease. */
  const note = (state: State<Item>, { now, lease_until }: { now: number; lease_until: number | undefined }) => {
    state.lease_until = lease_until ?? 0
    state.is_leased_by_other = lease_until === undefined
    state.lease_retry_at = now + retry_ms
  }
  return {
    take: async (at, state) => {
      const now = at.db.time()
      if (!isRecent(state, now)) note(state, { now, lease_until: await takeLease(at, { ...holder, now }) })
      return !state.is_leased_by_other
    },
    renew: async (db, states) => {
      const now = db.time()
      const ending = states.filter((state) => !isRecent(state, now))
      if (ending.length === 0) return
      const lease_until = now + lease_ms
      const renewed = await db.many<{ workspace_id: string }>(
        sql`update ${raw(table)} set lease_until = ${clock.iso(lease_until)}
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
      await db.run(sql`delete from ${raw(table)} where workspace_id = ${workspace} and lease_token = ${token}`)
    },
    endAll: async (db) => void (await db.run(sql`delete from ${raw(table)} where lease_token = ${token}`)),
  }
}

/** A claim leases the items themselves, and they end their leases. */
const itemLeases = <Item>(renew: ItemLeases<Item>['renew']): Leases<Item> => {
  const renewIn = async (db: Db, state: State<Item>) => {
    const now = db.time()
    await renew({ db, workspace: state.workspace }, [...state.claimed])
    // Items that are claimed later have later leases.
    state.lease_until = now + lease_ms
  }
  return {
    take: async ({ db }, state) => {
      const now = db.time()
      if (state.claimed.size === 0) state.lease_until = now + lease_ms
      // The database was away. What this process still runs must not look as if nobody did.
      else if (state.lease_until <= now) await renewIn(db, state)
      return true
    },
    // The items may be on different shards, so each workspace has a statement of its own.
    renew: async (db, states) => {
      const now = db.time()
      // Twice before they end: a row that is locked may be left out once.
      const ending = states.filter(({ lease_until }) => lease_until - now < (2 / 3) * lease_ms)
      await inParallel(ending, (state) => renewIn(db, state))
    },
    end: async () => {},
    endAll: async () => {},
  }
}

/** Runs all of them, also when some fail. Then it throws. */
async function inParallel<T>(all: T[], run: (one: T) => Promise<void>): Promise<void> {
  const rest = all.values()
  const errors: unknown[] = []
  const runNext = async () => {
    for (const one of rest) await run(one).catch((error: unknown) => errors.push(error))
  }
  await Promise.all(Array.from({ length: concurrent_renewals_max }, runNext))
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} of ${all.length} failed`)
}

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
