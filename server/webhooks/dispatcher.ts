/**
 * How deliveries are sent:
 *
 * 1. `send` and `sendAgain` add a workspace to those that are due.
 * 2. `claimNext` takes due workspaces in turn, as long as there is capacity (capacity.ts). It claims a batch of due
 *    deliveries (claims.ts) and keeps them in the workspace's state (sender-state.ts), in memory only: the lease of the
 *    workspace (lease.ts) keeps other processes from sending the same deliveries.
 * 3. Each claimed delivery is sent at once (attempt.ts). When half of them have ended, or an endpoint has none left, the
 *    workspace is due again.
 * 4. Results are recorded in batches (recording.ts). Then the deliveries are released.
 */

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type At, atNow, type Service } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { cachedOpen } from '../kit/crypto/seal.ts'
import type { Log } from '../kit/log.ts'
import { moveDue } from '../kit/work/due.ts'
import { attempt } from './attempt.ts'
import { Capacity, per_endpoint_max } from './capacity.ts'
import * as claims from './claims.ts'
import { releaseLeases, renewLease } from './lease.ts'
import { openRecorder } from './recording.ts'
import { countEnd, countStart, isLate, newSenderState, type SenderState } from './sender-state.ts'

/** At most two at a time, so that most connections are left to requests. */
const concurrent_claims_max = 2
const timeout_ms = 15_000
/** Waits until other endpoints have none left either, so that one claim serves all of them. */
const refill_delay_ms = 10
/** Deliveries whose results could not be recorded are sent again after this long. */
const unrecorded_retry_ms = 30_000
/** How long a stop waits for attempts in flight. */
const stop_wait_ms = 3_000

export interface DispatcherOptions {
  service: Service
  /** The URL at which this process listens, for inboxes. */
  ownAddress: () => string
  log: Log
  now?: () => number
  timeout_ms?: number
}

/** Claims and sends deliveries when it is called. The sender (sender.ts) calls it. */
export interface Dispatcher {
  /** Claims and sends the due deliveries of the workspace, as soon as there is capacity. */
  send: (workspace: string) => void
  /** The same, also for late deliveries, and when another process had the lease. */
  sendAgain: (workspace: string) => void
  renewLeases: () => Promise<void>
  /** Resolves when nothing is left to do. */
  idle: () => Promise<void>
  stop: () => Promise<void>
}

export function openDispatcher({ service, ownAddress, log, ...rest }: DispatcherOptions): Dispatcher {
  const { now = clock.wall } = rest
  const { pool, tools } = service
  const decrypt = cachedOpen(tools.seal.open)
  const attempt_options = { timeout_ms, ...rest, outbound: tools.outbound, decrypt, ownAddress, now }
  const at = (workspace: string): At => atNow(service, workspace, now())
  const lease_token = randomUUID()
  /** In the order of their turns. */
  const due_workspaces = new Set<string>()
  const states = new Map<string, SenderState>()
  const capacity = new Capacity()
  const recorder = openRecorder({
    at,
    log,
    onRecorded: (workspace, deliveries, is_recorded) => {
      if (is_recorded) releaseDeliveries(stateOf(workspace), deliveries)
      else retryLater(stateOf(workspace), deliveries)
    },
    onIdle: claimNext,
  })
  let claims_in_progress = 0
  let waiting_for_idle: (() => void)[] = []
  let is_stopping = false
  let is_stopped = false

  function claimNext(): void {
    for (const workspace of due_workspaces) {
      if (is_stopping || claims_in_progress === concurrent_claims_max || capacity.is_full) break
      const state = stateOf(workspace)
      if (state.is_claiming || capacity.isFullFor(state)) continue
      due_workspaces.delete(workspace)
      if (!state.is_leased_by_other) inBackground(claimBatch(state))
    }
    const has_no_due = due_workspaces.size === 0 || is_stopping
    if (!has_no_due || claims_in_progress > 0 || !capacity.is_idle || recorder.isBusy()) return
    for (const resolve of waiting_for_idle) resolve()
    waiting_for_idle = []
  }

  function stateOf(workspace: string): SenderState {
    const state = states.get(workspace) ?? newSenderState(workspace)
    states.set(workspace, state)
    return state
  }

  /** The caller doesn't await the work, and its failure must not end the process. */
  function inBackground(work: Promise<void>): void {
    work.catch((error: unknown) => log.error({ err: error }, 'sending webhooks failed'))
  }

  async function claimBatch(state: SenderState): Promise<void> {
    const limits = capacity.reserve(state)
    claims_in_progress += 1
    await ifLeased(state, async () => {
      const found = await claimDeliveries(state, limits)
      for (const delivery of found) inBackground(sendOne(state, delivery))
      if (found.length === 0 && state.claimed.size === 0) await endDue(state.workspace)
    })
    claims_in_progress -= 1
    capacity.cancelReservation(limits)
    state.refill_at = state.in_flight / 2
    claimNext()
  }

  /** Nothing is left to send now. */
  async function endDue(workspace: string): Promise<void> {
    await claims.failPending(at(workspace), [])
    await moveDue(pool, claims.due_deliveries, workspace)
  }

  /** Takes the lease, then runs the work. One at a time per workspace. */
  async function ifLeased(state: SenderState, work: () => Promise<void>): Promise<void> {
    state.is_claiming = true
    try {
      if (!is_stopping && (await renewLease(at(state.workspace), state, lease_token))) await work()
    } catch (error) {
      log.warn({ err: error, workspace_id: state.workspace }, 'due deliveries could not be claimed')
    }
    state.is_claiming = false
  }

  async function claimDeliveries(state: SenderState, limits: claims.ClaimLimits): Promise<claims.Claimed[]> {
    if (state.claimed.size === 0) state.by_endpoint.clear()
    const is_rescan = state.must_rescan || state.endpoints_with_late.size > 0 || state.claimed.size === 0
    // Cleared before the claim, because more may be committed late during it. If the claim fails, the next poll sets it.
    state.must_rescan = false
    // If the claim finds no late delivery for an endpoint with free slots, there are no more. Half of the slots is a margin,
    // because endpoints share the claim.
    const with_free_slots = [...state.endpoints_with_late].filter(
      (id) => (state.by_endpoint.get(id)?.in_flight ?? 0) < per_endpoint_max / 2,
    )
    const found = await claims.claimDue(at(state.workspace), {
      limits,
      progress: state.by_endpoint,
      claimed: is_rescan ? state.claimed : 'all_before',
    })
    // The claim took so long that another process may have taken the lease.
    if (state.lease_until <= now()) return []
    if (is_rescan) for (const id of with_free_slots) state.endpoints_with_late.delete(id)
    for (const delivery of found) if (isLate(state, delivery)) state.endpoints_with_late.add(delivery.webhook_id)
    return found
  }

  async function sendOne(state: SenderState, delivery: claims.Claimed): Promise<void> {
    capacity.start(delivery)
    countStart(state, delivery)
    const result = await attempt(delivery, attempt_options).catch((error: unknown) => {
      log.error(
        { err: error, workspace_id: state.workspace, webhook_id: delivery.webhook_id },
        'a delivery could not be sent',
      )
    })
    capacity.end(delivery)
    countEnd(state, delivery)
    if (is_stopped) return
    if (result) recorder.add(result)
    else retryLater(state, [delivery])
    refill(state, delivery.webhook_id)
  }

  function refill(state: SenderState, webhook_id: string): void {
    // Then `releaseDeliveries` makes the workspace due, when the results are recorded.
    if (state.in_flight === 0) return
    if (state.in_flight <= state.refill_at) refillNow(state)
    else if (state.by_endpoint.get(webhook_id)?.in_flight === 0)
      state.refill_timer ??= setTimeout(refillNow, refill_delay_ms, state)
  }

  function refillNow(state: SenderState): void {
    clearTimeout(state.refill_timer)
    state.refill_timer = undefined
    state.refill_at = 0
    due_workspaces.add(state.workspace)
    claimNext()
  }

  function releaseDeliveries(state: SenderState, deliveries: claims.Claimed[]): void {
    capacity.release(deliveries.length)
    for (const delivery of deliveries) state.claimed.delete(delivery)
    // There may be more that didn't fit into the capacity before.
    if (state.claimed.size === 0) due_workspaces.add(state.workspace)
    claimNext()
  }

  /** Keeps the deliveries claimed for a while. They stay due, and would be sent again at once otherwise. */
  function retryLater(state: SenderState, deliveries: claims.Claimed[]): void {
    capacity.holdForRetry(deliveries.length)
    const retry = () => {
      capacity.endRetryHold(deliveries.length)
      releaseDeliveries(state, deliveries)
    }
    setTimeout(retry, unrecorded_retry_ms).unref()
    claimNext()
  }

  function send(workspace: string): void {
    due_workspaces.add(workspace)
    claimNext()
  }

  function sendAgain(workspace: string): void {
    const state = stateOf(workspace)
    state.must_rescan = true
    if (state.lease_retry_at <= now()) state.is_leased_by_other = false
    send(workspace)
  }

  /** Also forgets workspaces that are idle and not leased. */
  async function renewLeases(): Promise<void> {
    for (const state of states.values()) {
      if (state.claimed.size > 0 || state.is_claiming) await renewLease(at(state.workspace), state, lease_token)
      else if (state.lease_until < now() && state.lease_retry_at < now()) states.delete(state.workspace)
    }
  }

  const idle = () =>
    new Promise<void>((resolve) => {
      waiting_for_idle.push(resolve)
      claimNext()
    })

  async function stop(): Promise<void> {
    is_stopping = true
    await Promise.race([idle(), sleep(stop_wait_ms, undefined, { ref: false })])
    is_stopped = true
    for (const state of states.values()) {
      state.lease_until = 0
      clearTimeout(state.refill_timer)
    }
    await releaseLeases(pool, lease_token).catch((error: unknown) =>
      log.warn({ err: error }, 'leases could not be released'),
    )
  }

  return {
    send,
    sendAgain,
    renewLeases,
    idle,
    stop,
  }
}
