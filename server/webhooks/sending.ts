/**
 * How deliveries are sent:
 *
 * 1. `send` and `sendAgain` add a workspace to those that are due.
 * 2. `claimNext` takes due workspaces in turn, as long as there is capacity (capacity.ts). It claims a batch of due
 *    deliveries (claims.ts) for the workspace's queue (workspace-queue.ts). A claim is kept in memory only: the lease of the
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
import { countEnd, countStart, isLate, newWorkspaceQueue, type WorkspaceQueue } from './workspace-queue.ts'

/** Concurrent statements, so that most connections are left to requests. */
const concurrent_claims_max = 2
const timeout_ms = 15_000
/** Waits until other endpoints have none left either, so that one claim serves all of them. */
const refill_delay_ms = 10
/** Deliveries whose results could not be recorded are sent again after this long. */
const unrecorded_retry_ms = 30_000
/** How long a stop waits for attempts in flight. */
const stop_wait_ms = 3_000

export interface SendingOptions {
  service: Service
  /** The URL at which this process listens, for inboxes. */
  ownAddress: () => string
  log: Log
  now?: () => number
  timeout_ms?: number
}

export interface Sending {
  /** Claims and sends the due deliveries of the workspace, as soon as there is capacity. */
  send: (workspace: string) => void
  /** The same, also for late deliveries, and when another process had the lease. */
  sendAgain: (workspace: string) => void
  renewLeases: () => Promise<void>
  /** Resolves when nothing is left to do. */
  idle: () => Promise<void>
  stop: () => Promise<void>
}

export function openSending({ service, ownAddress, log, ...rest }: SendingOptions): Sending {
  const { now = clock.now } = rest
  const { pool, tools } = service
  const open = cachedOpen(tools.seal.open)
  const attempt_options = { timeout_ms, ...rest, outbound: tools.outbound, open, ownAddress, now }
  const at = (workspace: string): At => atNow(service, workspace, now())
  const lease_token = randomUUID()
  /** In the order of their turns. */
  const due_workspaces = new Set<string>()
  const queues = new Map<string, WorkspaceQueue>()
  const capacity = new Capacity()
  const recorder = openRecorder({
    at,
    log,
    onRecorded: (workspace, deliveries, is_recorded) => {
      if (is_recorded) release(queueOf(workspace), deliveries)
      else retryLater(queueOf(workspace), deliveries)
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
      const queue = queueOf(workspace)
      if (queue.is_claiming || capacity.isFullFor(queue)) continue
      due_workspaces.delete(workspace)
      if (!queue.is_leased_by_other) inBackground(claimBatch(queue))
    }
    const has_no_due = due_workspaces.size === 0 || is_stopping
    if (!has_no_due || claims_in_progress > 0 || !capacity.is_idle || recorder.isBusy()) return
    for (const resolve of waiting_for_idle) resolve()
    waiting_for_idle = []
  }

  function queueOf(workspace: string): WorkspaceQueue {
    const queue = queues.get(workspace) ?? newWorkspaceQueue(workspace)
    queues.set(workspace, queue)
    return queue
  }

  /** The caller doesn't await the work, and its failure must not end the process. */
  function inBackground(work: Promise<void>): void {
    work.catch((error: unknown) => log.error({ err: error }, 'sending webhooks failed'))
  }

  async function claimBatch(queue: WorkspaceQueue): Promise<void> {
    const limits = capacity.reserve(queue)
    claims_in_progress += 1
    await whileLeased(queue, async () => {
      const found = await claimForQueue(queue, limits)
      for (const delivery of found) inBackground(sendOne(queue, delivery))
      if (found.length === 0 && queue.claimed.size === 0) await endDue(queue.workspace)
    })
    claims_in_progress -= 1
    capacity.unreserve(limits)
    queue.refill_at = queue.in_flight / 2
    claimNext()
  }

  /** Nothing is left to send now. */
  async function endDue(workspace: string): Promise<void> {
    await claims.failPending(at(workspace), [])
    await moveDue(pool, claims.due_deliveries, workspace)
  }

  /** Runs one piece of work at a time for a workspace, and only while this process has its lease. */
  async function whileLeased(queue: WorkspaceQueue, work: () => Promise<void>): Promise<void> {
    queue.is_claiming = true
    try {
      if (!is_stopping && (await renewLease(at(queue.workspace), queue, lease_token))) await work()
    } catch (error) {
      log.warn({ err: error }, 'deliveries could not be claimed')
    }
    queue.is_claiming = false
  }

  async function claimForQueue(queue: WorkspaceQueue, limits: claims.ClaimLimits): Promise<claims.Claimed[]> {
    if (queue.claimed.size === 0) queue.by_endpoint.clear()
    const is_rescan = queue.must_rescan || queue.with_late.size > 0 || queue.claimed.size === 0
    queue.must_rescan = false
    // If this claim has room for such an endpoint and finds none, there are no more late deliveries.
    const with_room = [...queue.with_late].filter(
      (id) => (queue.by_endpoint.get(id)?.in_flight ?? 0) < per_endpoint_max / 2,
    )
    const found = await claims.claimDue(at(queue.workspace), {
      limits,
      progress: queue.by_endpoint,
      claimed: is_rescan ? queue.claimed : 'all_before',
    })
    // The claim took so long that another process may have taken the lease.
    if (queue.lease_until <= now()) return []
    if (is_rescan) for (const id of with_room) queue.with_late.delete(id)
    for (const delivery of found) if (isLate(queue, delivery)) queue.with_late.add(delivery.webhook_id)
    return found
  }

  async function sendOne(queue: WorkspaceQueue, delivery: claims.Claimed): Promise<void> {
    capacity.start(delivery)
    countStart(queue, delivery)
    const result = await attempt(delivery, attempt_options).catch((error: unknown) => {
      log.error({ err: error, webhook_id: delivery.webhook_id }, 'a delivery could not be sent')
    })
    capacity.end(delivery)
    countEnd(queue, delivery)
    if (is_stopped) return
    if (result) recorder.add(result)
    else retryLater(queue, [delivery])
    refill(queue, delivery.webhook_id)
  }

  function refill(queue: WorkspaceQueue, webhook_id: string): void {
    if (queue.in_flight === 0) return
    if (queue.in_flight <= queue.refill_at) refillNow(queue)
    else if (queue.by_endpoint.get(webhook_id)?.in_flight === 0)
      queue.refill_timer ??= setTimeout(refillNow, refill_delay_ms, queue)
  }

  function refillNow(queue: WorkspaceQueue): void {
    clearTimeout(queue.refill_timer)
    queue.refill_timer = undefined
    queue.refill_at = 0
    due_workspaces.add(queue.workspace)
    claimNext()
  }

  function release(queue: WorkspaceQueue, deliveries: claims.Claimed[]): void {
    capacity.release(deliveries.length)
    for (const delivery of deliveries) queue.claimed.delete(delivery)
    // There may be more that didn't fit into the capacity before.
    if (queue.claimed.size === 0) due_workspaces.add(queue.workspace)
    claimNext()
  }

  /** Keeps the deliveries claimed for a while. They stay due, and would be sent again at once otherwise. */
  function retryLater(queue: WorkspaceQueue, deliveries: claims.Claimed[]): void {
    capacity.holdForRetry(deliveries.length)
    const retry = () => {
      capacity.endHold(deliveries.length)
      release(queue, deliveries)
    }
    setTimeout(retry, unrecorded_retry_ms).unref()
    claimNext()
  }

  function send(workspace: string): void {
    due_workspaces.add(workspace)
    claimNext()
  }

  function sendAgain(workspace: string): void {
    const queue = queueOf(workspace)
    queue.must_rescan = true
    if (queue.lease_retry_at <= now()) queue.is_leased_by_other = false
    send(workspace)
  }

  /** Also forgets workspaces that are idle and not leased. */
  async function renewLeases(): Promise<void> {
    for (const queue of queues.values()) {
      if (queue.claimed.size > 0 || queue.is_claiming) await renewLease(at(queue.workspace), queue, lease_token)
      else if (queue.lease_until < now() && queue.lease_retry_at < now()) queues.delete(queue.workspace)
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
    for (const queue of queues.values()) {
      queue.lease_until = 0
      clearTimeout(queue.refill_timer)
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
