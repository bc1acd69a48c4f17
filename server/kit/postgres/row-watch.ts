import type { InWorkspace } from '../at.ts'
import { inParallel } from '../limits/in-parallel.ts'
import { statementKey } from './citus/tenants.ts'
import { batchedGetById } from './get-by-id.ts'
import type { Pool } from './pool.ts'
import { raw, type Sql } from './sql.ts'

/** Changes that other processes make are seen after this long, or later when many rows are watched. */
const poll_every_ms = 200
/**
 * Polls read at most this many rows a second: many open streams, in which mostly nothing happens, must leave the time
 * to requests.
 */
const reads_per_second_max = 2_000
/** This many polls run at a time, so that most connections are left to requests. */
const polls_at_once = 4

type OnChange<Snapshot> = (snapshot: Snapshot | undefined) => void

interface Watched<Snapshot> {
  workspace: string
  id: string
  onChanges: Set<OnChange<Snapshot>>
}

/** Calls back after each change in the rows that are watched, made by this or another process. */
export interface RowWatch<Snapshot> {
  /** Returns the function that ends the watch. `onChange` must not throw, and may be called without a change. */
  open: (at: InWorkspace, id: string, onChange: OnChange<Snapshot>) => () => void
  readSnapshot: (at: InWorkspace, id: string) => Promise<Snapshot | undefined>
}

/** The table is also the topic of its notifications. All who watch share a poll. */
export function openRowWatch<Snapshot>(
  pool: Pool,
  { table, columns }: { table: string; columns: Sql },
): RowWatch<Snapshot> {
  const readSnapshot = batchedGetById<Snapshot>(columns, raw(table))
  /**
   * Keys have the workspace and the id: a watcher of the id of another workspace must see nothing, and not keep others
   * from seeing it.
   */
  const watched = new Map<string, Watched<Snapshot>>()
  const keyOf = (workspace: string, id: string) => `${workspace} ${id}`
  let is_polling = false

  /** Reads the row and calls back. When the database is unavailable, the next poll tries again. */
  function look({ workspace, id, onChanges }: Watched<Snapshot>): Promise<void> {
    return readSnapshot(pool, workspace, id)
      .then((snapshot) => {
        for (const onChange of onChanges) onChange(snapshot)
      })
      .catch(() => {})
  }

  async function poll(): Promise<void> {
    const all = [...watched.values()]
    const groups = Map.groupBy(all, ({ workspace }) => statementKey(pool, workspace)).values()
    await inParallel(groups, { at_once: polls_at_once }, (group) => Promise.all(group.map(look)))
    is_polling = watched.size > 0
    if (is_polling) pollLater()
  }

  function pollLater(): void {
    const wait_ms = Math.max(poll_every_ms, (watched.size / reads_per_second_max) * 1_000)
    setTimeout(() => void poll(), wait_ms).unref()
  }

  pool.subscribe(({ topic, workspace, id = '' }) => {
    const one = topic === table ? watched.get(keyOf(workspace, id)) : undefined
    if (one) void look(one)
  })

  return {
    readSnapshot: ({ workspace }, id) => readSnapshot(pool, workspace, id),
    open({ workspace }, id, onChange) {
      const key = keyOf(workspace, id)
      const one = watched.get(key) ?? { workspace, id, onChanges: new Set() }
      watched.set(key, one)
      one.onChanges.add(onChange)
      if (!is_polling) pollLater()
      is_polling = true
      return () => {
        one.onChanges.delete(onChange)
        if (one.onChanges.size === 0 && watched.get(key) === one) watched.delete(key)
      }
    },
  }
}
