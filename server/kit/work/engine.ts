import { setTimeout as sleep } from 'node:timers/promises'
import { type AtOutside, atLater, atWorkspace, type Service, timeStands } from '../at.ts'
import * as clock from '../clock.ts'
import { setBounded } from '../limits/bounded-map.ts'
import type { Log } from '../log.ts'
import { isNodeDown } from '../postgres/errors.ts'
import { inSpan } from '../traces/span.ts'
import { moveDue } from './due.ts'
import type { Leases } from './lease.ts'
import type { ObserveWork, WorkObserver } from './observe.ts'
import { openRecorder, type Recorder } from './recorder.ts'
import { type Run, Running } from './running.ts'
import { newState, type State } from './state.ts'
import type { DueItem, Work } from './work.ts'
import { WorkspaceQueue } from './workspace-queue.ts'

/** Two claims run at a time, so that most connections are left to requests. */
const concurrent_claims_max = 2
/** A refill for a key waits this long for other keys to run out of items too, so that one claim serves all of them. */
const refill_delay_ms = 10
/** Items that failed, or whose results could not be recorded, run again after this long. */
const retry_ms = 30_000
const check_every_ms = 500
/** At most this many workspaces wait for a claim. A poll adds no more, so that memory stays bounded. */
const waiting_max = 1_000
/** A workspace whose node is down is tried again after this long, and then after twice as long each time. */
const pause_min_ms = 500
const pause_max_ms = 10_000
/** At most this many failed workspaces are remembered. Polls find the others again. */
const failed_max = 10_000
/** An idle workspace forgets its keys when it has more than this. */
const keys_max = 1_000
/** How long a stop waits for running items. */
const stop_wait_ms = 3_000

export interface EngineOptions {
  service: Service
  log: Log
  /** Gives the time in a workspace. Tests set it. */
  atOf?: (workspace: string) => Promise<AtOutside>
  /** Called when work was done in a workspace whose time stands still. Never throws. */
  onProgress?: (workspace: string) => void
  /** Counts the items that run, for metrics, and traces them. */
  observe?: ObserveWork
}

/**
 * Runs one kind of background work:
 *
 * 1. `add` says that a workspace may have due items. It waits for a claim (workspace-queue.ts).
 * 2. `#claimNext` takes them in order, as long as there is capacity (capacity.ts). It claims a batch of due items
 *    and keeps them in the workspace's state (state.ts). Leases keep other processes from running the same items.
 * 3. Claimed items start immediately (running.ts). When half of them have ended, or a key has none left, the workspace is
 *    queued again.
 * 4. Results are recorded in batches (recorder.ts). Then the items are released.
 */
export class Engine<Item extends DueItem = DueItem, Result = unknown> {
  readonly #work: Work<Item, Result>
  readonly #service: Service
  readonly #log: Log
  readonly #atOf: (workspace: string) => Promise<AtOutside>
  readonly #onProgress: (workspace: string) => void
  readonly #observer: WorkObserver | undefined
  readonly #leases: Leases<Item>
  readonly #queue = new WorkspaceQueue()
  /** Workspaces whose last claim has failed. */
  readonly #failed = new Map<string, Failure>()
  readonly #states = new Map<string, State<Item>>()
  readonly #running: Running<Item>
  readonly #recorder: Recorder<{ item: Item; result: Result }>
  readonly #timer: NodeJS.Timeout
  #checking: Promise<void> | undefined
  #claims_in_progress = 0
  #waiting_for_idle: { workspace: string; resolve: () => void }[] = []
  #stopping: Promise<void> | undefined
  #is_stopping = false
  #is_stopped = false

  constructor(work: Work<Item, Result>, { service, log, atOf, onProgress = () => {}, observe }: EngineOptions) {
    this.#work = work
    this.#service = service
    this.#log = log
    this.#atOf = atOf ?? ((workspace) => atWorkspace(service, workspace))
    this.#onProgress = onProgress
    this.#observer = observe?.(work.due.kind)
    this.#leases = work.openLeases()
    this.#running = new Running(work)
    this.#recorder = openRecorder({
      record: async (workspace, ended) => {
        const results = ended.map(({ result }) => result)
        await work.record?.(await this.#atOf(workspace), results)
      },
      onRecorded: (workspace, ended, { is_recorded }) => {
        const items = ended.map(({ item }) => item)
        if (is_recorded) this.#release(this.#stateOf(workspace), items)
        else this.#retryLater(this.#stateOf(workspace), items)
      },
      log,
    })
    this.#timer = setInterval(() => {
      this.#checking ??= this.#check()
        .catch((error: unknown) => log.error({ err: error, kind: this.kind }, 'background work could not be checked'))
        .finally(() => {
          this.#checking = undefined
        })
    }, check_every_ms)
  }

  get kind(): string {
    return this.#work.due.kind
  }

  get has_room(): boolean {
    return this.#queue.size < waiting_max
  }

  /** Runs the due items of the workspace, as soon as there is capacity. `is_polled` says that a poll has found them. */
  add(workspace: string, { is_polled = false } = {}): void {
    if (is_polled) this.#stateOf(workspace).is_polled = true
    this.#enqueue(workspace)
  }

  /** Runs an item that was leased for this process without a claim, such as by a connection. Resolves when it has ended. */
  async adopt(at: AtOutside, item: Item): Promise<void> {
    const state = this.#stateOf(at.workspace)
    await this.#leases.take(at, state)
    await this.#run(atLater(at), state, item)
  }

  /**
   * Claims again in workspaces where a claim has failed. Nobody else may know of their work: the note for others has
   * perhaps failed too.
   */
  retry(): void {
    for (const workspace of this.#failed.keys())
      if (!this.isPausing(workspace)) this.add(workspace, { is_polled: true })
  }

  /** Whether the node of the workspace was down a moment ago. */
  isPausing(workspace: string): boolean {
    const { until_ticks = 0 } = this.#failed.get(workspace) ?? {}
    return until_ticks > clock.ticks()
  }

  /** Resolves when this process has nothing to do for the workspace. */
  idle(workspace: string): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting_for_idle.push({ workspace, resolve })
      this.#claimNext()
    })
  }

  /** Waits a little for running items. Other processes run the rest. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  async #stop(): Promise<void> {
    this.#is_stopping = true
    clearInterval(this.#timer)
    const all_idle = Promise.all(this.#states.keys().map((workspace) => this.idle(workspace)))
    await Promise.race([all_idle, sleep(stop_wait_ms, undefined, { ref: false })])
    this.#is_stopped = true
    await this.#checking
    for (const state of this.#states.values()) {
      state.lease_until = 0
      clearTimeout(state.refill_timer)
    }
    await this.#leases
      .endAll?.(this.#service.pool)
      .catch((error: unknown) => this.#log.warn({ err: error, kind: this.kind }, 'leases could not be ended'))
  }

  #stateOf(workspace: string): State<Item> {
    const state = this.#states.get(workspace) ?? newState<Item>(workspace, this.#work.limits)
    this.#states.set(workspace, state)
    return state
  }

  #enqueue(workspace: string): void {
    this.#queue.add(workspace)
    this.#claimNext()
  }

  #claimNext(): void {
    this.#running.findSlow()
    while (this.#canClaim()) {
      const workspace = this.#queue.take((workspace) => isReady(this.#stateOf(workspace)))
      if (workspace === undefined) break
      // A claim runs in no span: it serves more than the request or the item that has led here.
      this.#inBackground(inSpan(undefined, () => this.#claimBatch(this.#stateOf(workspace))))
    }
    this.#reportIdle()
  }

  #canClaim(): boolean {
    const { capacity } = this.#running
    return !this.#is_stopping && this.#claims_in_progress < concurrent_claims_max && !capacity.is_full
  }

  #reportIdle(): void {
    if (this.#waiting_for_idle.length === 0) return
    const { idle = [], busy = [] } = Object.groupBy(this.#waiting_for_idle, ({ workspace }) =>
      this.#isIdle(workspace) ? 'idle' : 'busy',
    )
    this.#waiting_for_idle = busy
    for (const { resolve } of idle) resolve()
  }

  #isIdle(workspace: string): boolean {
    const state = this.#states.get(workspace)
    const is_waiting = this.#queue.has(workspace) && !this.#is_stopping
    return !is_waiting && (!state || (!state.is_claiming && state.capacity.is_idle))
  }

  /** The caller doesn't wait for the work, and its failure must not end the process. */
  #inBackground(work: Promise<void>): void {
    work.catch((error: unknown) => this.#log.error({ err: error, kind: this.kind }, 'background work failed'))
  }

  async #claimBatch(state: State<Item>): Promise<void> {
    const { capacity } = this.#running
    const slots = Math.min(capacity.free, state.capacity.free)
    const slow_slots = capacity.freeSlowFor(state.capacity)
    state.is_claiming = true
    this.#claims_in_progress += 1
    capacity.reserve(slots)
    try {
      const at = await this.#atOf(state.workspace)
      if (await this.#leases.take(at, state)) await this.#claimAndRun(at, state, { slots, slow_slots })
      this.#failed.delete(state.workspace)
    } catch (error) {
      this.#log.warn({ err: error, kind: this.kind, workspace_id: state.workspace }, 'due work could not be claimed')
      this.#noteFailure(state.workspace, error)
    }
    capacity.cancelReservation(slots)
    this.#claims_in_progress -= 1
    state.is_claiming = false
    state.refill_below = state.capacity.running / 2
    this.#claimNext()
  }

  #noteFailure(workspace: string, error: unknown): void {
    const last_ms = this.#failed.get(workspace)?.pause_ms || pause_min_ms / 2
    const pause_ms = isNodeDown(error) ? Math.min(2 * last_ms, pause_max_ms) : 0
    setBounded(this.#failed, workspace, { pause_ms, until_ticks: clock.ticks() + pause_ms }, failed_max)
  }

  async #claimAndRun(at: AtOutside, state: State<Item>, slots: { slots: number; slow_slots: number }): Promise<void> {
    const found = await this.#claim(at, state, slots)
    const begun = atLater(at)
    for (const item of found) this.#inBackground(this.#run(begun, state, item))
    if (found.length > 0 || state.claimed.size > 0) return
    await moveDue(at, this.#work.due)
    // Whichever process advances a test clock runs what is due next, without waiting for this one.
    if (timeStands(at)) await this.#leases.end?.(at, state)
  }

  async #claim(at: AtOutside, state: State<Item>, slots: { slots: number; slow_slots: number }): Promise<Item[]> {
    const { claimed, by_key, is_polled } = state
    if (claimed.size === 0 && by_key.size > keys_max) by_key.clear()
    // `is_polled` is reset before the claim, because more may be committed late during it. If the claim fails, the next
    // poll sets it again.
    state.is_polled = false
    const found = await this.#work.claim(at, { ...slots, claimed, by_key, is_polled })
    // The claim may have taken so long that another process has the lease.
    const is_held = this.#leases.is_per_item || state.lease_until > at.db.time()
    return is_held ? found : []
  }

  async #run(at: AtOutside, state: State<Item>, item: Item): Promise<void> {
    const run = this.#running.start(state, item)
    const span = this.#observer?.begin({ workspace: state.workspace, id: item.id })
    const ended = await inSpan(span, () => this.#tryRun(at, item))
    this.#running.end(run)
    const duration_ms = clock.ticks() - run.began_ticks
    this.#observer?.end({ has_succeeded: ended?.is_progress === true, duration_ms, span })
    if (this.#is_stopped) return
    if (ended && this.#work.record) this.#recorder.add(state.workspace, { item, result: ended.result })
    // A failed item that has its own lease can't be claimed again before that ends.
    else if (ended || this.#leases.is_per_item) this.#release(state, [item])
    else this.#retryLater(state, [item])
    this.#refill(run)
  }

  async #tryRun(at: AtOutside, item: Item): Promise<{ result: Result; is_progress: boolean } | undefined> {
    const onProgress = () => {
      if (timeStands(at)) this.#onProgress(at.workspace)
    }
    try {
      const context = { isStopping: () => this.#is_stopping, onProgress, log: this.#log }
      const result = await this.#work.run(at, item, context)
      const is_progress = this.#work.isProgress?.(result) ?? true
      if (is_progress) onProgress()
      return { result, is_progress }
    } catch (error) {
      const about = { kind: this.kind, workspace_id: at.workspace, id: item.id }
      this.#log.error({ err: error, ...about }, 'an item of work failed')
      return undefined
    }
  }

  #refill({ state, key }: Run<Item>): void {
    const { running } = state.capacity
    // When nothing runs, `#release` enqueues the workspace after the results are recorded.
    if (running === 0) return
    if (running <= state.refill_below) this.#refillNow(state)
    else if (key?.running === 0)
      state.refill_timer ??= setTimeout((state) => this.#refillNow(state), refill_delay_ms, state)
  }

  #refillNow(state: State<Item>): void {
    clearTimeout(state.refill_timer)
    state.refill_timer = undefined
    state.refill_below = 0
    this.#enqueue(state.workspace)
  }

  #release(state: State<Item>, items: Item[]): void {
    this.#running.release(state, items)
    // There may be more due items that didn't fit into the capacity before.
    if (state.claimed.size === 0) this.#queue.add(state.workspace)
    this.#claimNext()
  }

  /** Keeps the items claimed for a while: they stay due, and would be claimed again at once otherwise. */
  #retryLater(state: State<Item>, items: Item[]): void {
    this.#running.postpone(state, items)
    const retry = () => {
      this.#running.endPostponement(state, items)
      this.#release(state, items)
    }
    setTimeout(retry, retry_ms).unref()
    this.#claimNext()
  }

  /** Renews leases, forgets idle workspaces, and finds items that have become slow. */
  async #check(): Promise<void> {
    await this.#renewLeases()
    const now = this.#service.pool.time()
    for (const { workspace, claimed, is_claiming, lease_until } of this.#states.values())
      if (claimed.size === 0 && !is_claiming && lease_until < now) this.#states.delete(workspace)
    this.#claimNext()
  }

  async #renewLeases(): Promise<void> {
    const { pool } = this.#service
    const states = [...this.#states.values()].filter(({ claimed }) => claimed.size > 0)
    if (states.length === 0) return
    try {
      await pool.measureTime()
      await this.#leases.renew(pool, states)
    } catch (error) {
      this.#log.warn({ err: error, kind: this.kind }, 'leases could not be renewed')
    }
  }
}

interface Failure {
  pause_ms: number
  until_ticks: number
}

/** Whether the workspace may claim now. Until then it keeps its place. */
const isReady = ({ is_claiming, capacity }: State<unknown>): boolean =>
  !is_claiming && !capacity.has_many_unrecorded && capacity.free + capacity.free_slow > 0
