import type { At, AtOutside, InWorkspace } from '../at.ts'
import type { Log } from '../log.ts'
import type { Share } from './capacity.ts'
import type { DueKind } from './due.ts'

/** A kind of background work. The engine (engine.ts) runs it. */
export interface Work<Item extends DueItem = DueItem, Result = unknown> extends Items<Item> {
  /** Runs one item. If it throws, the item runs again after a while. */
  run: (at: AtOutside, item: Item, context: RunContext) => Promise<Result>
  /** Whether something was done. By default it was, unless the item has failed. */
  isProgress?: (result: Result) => boolean
  /** Records the results of several items of a workspace together. */
  record?: (at: At, results: Result[]) => Promise<void>
}

/** The items of a kind of work, and how they are claimed. */
export interface Items<Item extends DueItem> {
  due: DueKind
  leases: WorkspaceLeases | ItemLeases<Item>
  limits: Limits
  /** Items with the same key share a limit, because they use the same endpoint, for example. */
  keyOf?: (item: Item) => string
  /** Whether earlier items with the same key have failed. */
  isFailing?: (item: Item) => boolean
  /** Returns due items within the limits. */
  claim: (at: At, request: ClaimRequest<Item>) => Promise<Item[]>
}

export interface RunContext {
  /** Long items end early then. */
  isStopping: () => boolean
  /** Called while a long item makes progress. Never throws. */
  onProgress: () => void
  log: Log
}

export interface DueItem {
  id: string
  due_at: string
}

/** A process that has the lease of a workspace runs its items alone. Which ones it has claimed is in its memory only. */
export interface WorkspaceLeases {
  per: 'workspace'
  table: string
}

/** A claim leases each item. */
export interface ItemLeases<Item> {
  per: 'item'
  /** Extends the leases of running items. */
  renew: (at: InWorkspace, items: Item[]) => Promise<unknown>
}

export interface Limits {
  process: Share
  workspace: Share
  /** Items running at the same time with the same key. */
  per_key: number
  /** The same until the first item of a key has ended or turned slow: a burst to many slow keys would take all slots. */
  per_new_key: number
  per_failing_key: number
  /** A key is slow when its last item ran for longer than this. */
  slow_after_ms: number
}

/** With leases per item only `slots` matters: a claim finds no item that is leased. */
export interface ClaimRequest<Item> {
  slots: number
  slow_slots: number
  limits: Limits
  by_key: Map<string, KeyState>
  claimed: Set<Item>
  /** Whether to start after the last item claimed for each key. Such a claim is faster, and misses late items. */
  skips_to_last: boolean
}

/** What a process knows of a key. */
export interface KeyState {
  running: number
  /** Undefined until an item has ended or turned slow. */
  is_slow: boolean | undefined
  /** The greatest by `due_at` and `id` of the items claimed since the workspace was idle. */
  last: DueItem | undefined
}
