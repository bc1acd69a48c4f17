import type { At, AtOutside } from '../at.ts'
import type { Log } from '../log.ts'
import type { Limits } from './capacity.ts'
import type { DueKind } from './due.ts'
import type { Leases } from './lease.ts'
import type { KeyState } from './state.ts'

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
  /** Called once for each engine. */
  openLeases: () => Leases<Item>
  limits: Limits
  /** Items with the same key are slow together, because they use the same endpoint, for example. */
  keyOf?: (item: Item) => string
  /** Whether the item counts as slow from the beginning. */
  isSlow?: (item: Item) => boolean
  /** Returns due items within the limits. */
  claim: (at: At, request: ClaimRequest<Item>) => Promise<Item[]>
}

export interface RunContext {
  /** Whether the service is about to stop. Long items then end early. */
  isStopping: () => boolean
  /** Called while a long item makes progress. Never throws. */
  onProgress: () => void
  log: Log
}

export interface DueItem {
  id: string
  due_at: string
}

export interface ClaimRequest<Item> {
  slots: number
  slow_slots: number
  /** Items that this process has claimed before, and whose results are not yet recorded. */
  claimed: Set<Item>
  by_key: Map<string, KeyState>
  /** Whether a poll has found the workspace since the last claim. Items that were committed late may be due. */
  is_polled: boolean
}
