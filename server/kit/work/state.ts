import { Capacity, type Limits } from './capacity.ts'

/** What a process knows of a key. */
export interface KeyState {
  running: number
  /** Undefined until an item has ended or turned slow. */
  is_slow: boolean | undefined
}

/** What this process is doing for one workspace. */
export interface State<Item> {
  workspace: string
  /** Until then, by the database's time, no other process may run the items of this workspace that are running here. */
  lease_until: number
  is_claiming: boolean
  /** Items that are claimed and whose results are not yet recorded. */
  claimed: Set<Item>
  capacity: Capacity
  by_key: Map<string, KeyState>
  /** Whether a poll has found the workspace since the last claim. */
  is_polled: boolean
  /** The next batch is claimed when no more than this many are running. 0 when that claim is waiting for its turn. */
  refill_below: number
  /** Set when a key has none left: the next batch is claimed shortly, so that slow keys don't delay this one. */
  refill_timer: NodeJS.Timeout | undefined
}

export const newState = <Item>(workspace: string, limits: Limits): State<Item> => ({
  workspace,
  lease_until: 0,
  is_claiming: false,
  claimed: new Set(),
  capacity: new Capacity(limits.workspace),
  by_key: new Map(),
  is_polled: false,
  refill_below: 0,
  refill_timer: undefined,
})

/** Returns the state of a key, and creates it when the key is new. */
export function keyState({ by_key }: Pick<State<unknown>, 'by_key'>, key: string): KeyState {
  const state = by_key.get(key) ?? { running: 0, is_slow: undefined }
  by_key.set(key, state)
  return state
}
