import { Capacity } from './capacity.ts'
import type { DueItem, KeyState, Limits } from './work.ts'

/** What this process is doing for one workspace. */
export interface State<Item> {
  workspace: string
  /** Until then, by the database's time, no other process may run the items of this workspace that are running here. */
  lease_until: number
  is_leased_by_other: boolean
  /** Until then, by the database's time, this process doesn't ask for the lease again. */
  lease_retry_at: number
  is_claiming: boolean
  /** Claimed, and their results not yet recorded. */
  claimed: Set<Item>
  capacity: Capacity
  by_key: Map<string, KeyState>
  /**
   * A claim usually starts after the last item claimed for each key. So it misses late items: those that were committed
   * after one that is due later was claimed. When this is set, the next claim starts from the beginning.
   */
  must_rescan: boolean
  /** Keys that had late items, and may have more for which no slot was free. */
  keys_with_late: Set<string>
  /** The next batch is claimed when no more than this many are running. 0 when that claim is waiting for its turn. */
  refill_below: number
  /** Set when a key has none left: the next batch is claimed shortly, so that slow keys don't delay this one. */
  refill_timer: NodeJS.Timeout | undefined
}

export const newState = <Item>(workspace: string, limits: Limits): State<Item> => ({
  workspace,
  lease_until: 0,
  is_leased_by_other: false,
  lease_retry_at: 0,
  is_claiming: false,
  claimed: new Set(),
  capacity: new Capacity(limits.workspace),
  by_key: new Map(),
  must_rescan: false,
  keys_with_late: new Set(),
  refill_below: 0,
  refill_timer: undefined,
})

/** Creates it when the key is new. */
export function keyState({ by_key }: Pick<State<unknown>, 'by_key'>, key: string): KeyState {
  const state = by_key.get(key) ?? { running: 0, is_slow: undefined, last: undefined }
  by_key.set(key, state)
  return state
}

/** How many items with this key may run at the same time, if none fails. */
export const keyMax = ({ is_slow }: KeyState, limits: Limits): number =>
  is_slow === undefined ? limits.per_new_key : limits.per_key

/** Whether the key's last item was claimed before this one, and is due later. */
export const isLate = (item: DueItem, { last }: KeyState): boolean => last !== undefined && isBefore(item, last)

export function moveLast(state: KeyState, { id, due_at }: DueItem): void {
  if (!isLate({ id, due_at }, state)) state.last = { id, due_at }
}

const isBefore = (one: DueItem, other: DueItem): boolean =>
  one.due_at < other.due_at || (one.due_at === other.due_at && one.id < other.id)
