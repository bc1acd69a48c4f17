/** How much may be in progress, in the process or for one workspace. */
export interface Share {
  /** Items running at the same time. */
  slots: number
  /** Slow items running at the same time, which have slots of their own. */
  slow_slots: number
  /** Limits slow and other items together. Items that turn out to be slow may exceed `slow_slots`, but not this. */
  total: number
  /** Items that have ended, and whose results are not yet recorded. */
  unrecorded: number
}

export interface Limits {
  process: Share
  workspace: Share
  /** A key is slow when its last item ran for longer than this. By default none is. */
  slow_after_ms?: number
}

/** Makes a share for work without slow items. */
export const plainShare = (slots: number): Share => ({ slots, slow_slots: 0, total: slots, unrecorded: slots })

interface Speed {
  is_slow: boolean
}

/** Counts what is in progress against a share of it. There is one for the process and one for each workspace. */
export class Capacity {
  readonly #share: Share
  #claimed = 0
  #running = 0
  #running_slow = 0
  #reserved = 0
  #postponed = 0

  constructor(share: Share) {
    this.#share = share
  }

  get free(): number {
    const { slots, total } = this.#share
    return Math.max(0, Math.min(slots - this.#running, total - this.running) - this.#reserved)
  }

  get free_slow(): number {
    return Math.max(0, this.#share.slow_slots - this.#running_slow)
  }

  /**
   * Returns how many of the slots for slow items one more claim may take. A workspace that has some leaves half of the
   * rest to others, or a few workspaces would keep all of them.
   */
  freeSlowFor(own: Capacity): number {
    const free = own.#running_slow > 0 ? Math.floor(this.free_slow / 2) : this.free_slow
    return Math.min(free, own.free_slow)
  }

  /** Ignores the slots for slow items: while these are taken, others are still claimed. */
  get is_full(): boolean {
    return this.free === 0 || this.has_many_unrecorded
  }

  get has_many_unrecorded(): boolean {
    return this.#claimed - this.running >= this.#share.unrecorded
  }

  get running(): number {
    return this.#running + this.#running_slow
  }

  /** Whether nothing is running or unrecorded, except what is postponed. */
  get is_idle(): boolean {
    return this.#claimed === this.#postponed
  }

  /** Reserves slots for a claim in progress, which may fill them. */
  reserve(slots: number): void {
    this.#reserved += slots
  }

  cancelReservation(slots: number): void {
    this.#reserved -= slots
  }

  start({ is_slow }: Speed): void {
    this.#claimed += 1
    if (is_slow) this.#running_slow += 1
    else this.#running += 1
  }

  /** A running item turns out to be slow. */
  turnSlow(): void {
    this.#running -= 1
    this.#running_slow += 1
  }

  /** The item stays claimed until it is released. */
  end({ is_slow }: Speed): void {
    if (is_slow) this.#running_slow -= 1
    else this.#running -= 1
  }

  release(count: number): void {
    this.#claimed -= count
  }

  /** Counts items that stay claimed for a while, and are no work in progress. */
  postpone(count: number): void {
    this.#postponed += count
  }

  endPostponement(count: number): void {
    this.#postponed -= count
  }
}
