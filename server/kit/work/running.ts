import * as clock from '../clock.ts'
import { Capacity } from './capacity.ts'
import { type KeyState, keyState, type State } from './state.ts'
import type { DueItem, Items } from './work.ts'

export interface Run<Item> {
  state: State<Item>
  item: Item
  key: KeyState | undefined
  is_slow: boolean
  began_ticks: number
}

/** The items that this process has claimed: how many, and which of them are slow. */
export class Running<Item extends DueItem> {
  readonly capacity: Capacity
  readonly #items: Items<Item>
  readonly #slow_after_ms: number
  /** Items that are not slow so far, in the order in which they began. */
  readonly #quick = new Set<Run<Item>>()

  constructor(items: Items<Item>) {
    this.#items = items
    this.#slow_after_ms = items.limits.slow_after_ms ?? Number.POSITIVE_INFINITY
    this.capacity = new Capacity(items.limits.process)
  }

  start(state: State<Item>, item: Item): Run<Item> {
    const { keyOf, isSlow } = this.#items
    const key = keyOf && keyState(state, keyOf(item))
    const is_slow = key?.is_slow === true || isSlow?.(item) === true
    const run = { state, item, key, is_slow, began_ticks: clock.ticks() }
    state.claimed.add(item)
    for (const capacity of this.#capacities(state)) capacity.start({ is_slow })
    if (!is_slow) this.#quick.add(run)
    if (key) key.running += 1
    return run
  }

  /** Moves items that have been running for long to the slots for slow ones. */
  findSlow(): void {
    const until = clock.ticks() - this.#slow_after_ms
    for (const run of this.#quick) {
      if (run.began_ticks > until) break
      this.#quick.delete(run)
      run.is_slow = true
      if (run.key) run.key.is_slow = true
      for (const capacity of this.#capacities(run.state)) capacity.turnSlow()
    }
  }

  /** The item stays claimed until it is released. */
  end(run: Run<Item>): void {
    const { state, key, is_slow, began_ticks } = run
    this.#quick.delete(run)
    for (const capacity of this.#capacities(state)) capacity.end({ is_slow })
    if (!key) return
    key.running -= 1
    key.is_slow = clock.ticks() - began_ticks > this.#slow_after_ms
  }

  release(state: State<Item>, items: Item[]): void {
    for (const item of items) state.claimed.delete(item)
    for (const capacity of this.#capacities(state)) capacity.release(items.length)
  }

  /** Keeps the items claimed for a while. They stay due, and would be claimed again at once otherwise. */
  postpone(state: State<Item>, items: Item[]): void {
    for (const capacity of this.#capacities(state)) capacity.postpone(items.length)
  }

  endPostponement(state: State<Item>, items: Item[]): void {
    for (const capacity of this.#capacities(state)) capacity.endPostponement(items.length)
  }

  #capacities(state: State<Item>): Capacity[] {
    return [this.capacity, state.capacity]
  }
}
