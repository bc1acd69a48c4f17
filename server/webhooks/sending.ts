import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type At, atNow, type Service } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { cachedOpen } from '../kit/crypto/seal.ts'
import type { Log } from '../kit/log.ts'
import { attempt } from './attempt.ts'
import * as claims from './claims.ts'
import { recordResults } from './recording.ts'
import { countInFlight, isFailing, isOutOfOrder, newWorkspaceQueue, type WorkspaceQueue } from './workspace-queue.ts'

/** A failing endpoint gets one request at a time until one succeeds. */
const per_endpoint_max = 10
const per_failing_endpoint_max = 1
/** Of all workspaces; one workspace may use half. Failing endpoints have slots of their own. */
const in_flight_max = 400
const in_flight_to_failing_max = 100
/** Concurrent statements, so that most connections are left to requests. */
const concurrent_claims_max = 2
const concurrent_records_max = 2
const timeout_ms = 15_000
/** Waits for other endpoints that run dry, so that one claim serves all of them. */
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
  /** Claims and sends what is due in the workspace, as soon as there is capacity. */
  send: (workspace: string) => void
  /** Renews leases, and finds due deliveries that no other process sends: in one workspace or in all. */
  poll: (only?: string) => Promise<void>
  /** Resolves when nothing is left to do. */
  idle: () => Promise<void>
  stop: () => Promise<void>
}

/** Sends due deliveries: claims batches, keeps many attempts in flight within limits, and records results together. */
export function openSending({ service, ownAddress, log, ...rest }: SendingOptions): Sending {
  const { now = clock.now } = rest
  const { pool, tools } = service
  const lease_token = randomUUID()
  /** In the order of their turns. */
  const due_workspaces = new Set<string>()
  const queues = new Map<string, WorkspaceQueue>()
  const unrecorded: claims.Result[] = []
  const send_options = {
    timeout_ms,
    ...rest,
    outbound: tools.outbound,
    open: cachedOpen(tools.seal.open),
    ownAddress,
    now,
  }
  let waiting_for_idle: (() => void)[] = []
  let claiming = 0
  let reserved = 0
  /** Totals of all queues. */
  let claimed = 0
  let in_flight = 0
  let in_flight_to_failing = 0
  /** Claimed deliveries whose results could not be recorded, and which wait to be sent again. */
  let waiting_for_retry = 0
  let is_recording = false
  let is_stopping = false
  let is_stopped = false

  const at = (workspace: string): At => atNow(service, workspace, now())
  const freeSlots = () => in_flight_max - reserved - in_flight + in_flight_to_failing
  const notRecorded = () => claimed - in_flight

  /** Nobody awaits the work, and its failure must not end the process. */
  function inBackground(work: Promise<void>): void {
    work.catch((error: unknown) => log.error({ err: error }, 'sending webhooks failed'))
  }

  function claimNext(): void {
    for (const workspace of due_workspaces) {
      const is_full = claiming === concurrent_claims_max || freeSlots() <= 0 || notRecorded() >= in_flight_max
      if (is_stopping || is_full) break
      const queue = queueOf(workspace)
      if (queue.is_claiming || queue.claimed.size - queue.in_flight >= in_flight_max / 2) continue
      due_workspaces.delete(workspace)
      if (!queue.is_leased_by_other) inBackground(claimBatch(queue))
    }
    const has_no_due = due_workspaces.size === 0 || is_stopping
    if (!has_no_due || claiming > 0 || claimed > waiting_for_retry || is_recording) return
    for (const resolve of waiting_for_idle) resolve()
    waiting_for_idle = []
  }

  function queueOf(workspace: string): WorkspaceQueue {
    const queue = queues.get(workspace) ?? newWorkspaceQueue(workspace)
    queues.set(workspace, queue)
    return queue
  }

  async function claimBatch(queue: WorkspaceQueue): Promise<void> {
    const capacity = capacityOf(queue)
    claiming += 1
    reserved += capacity.total
    await whileLeased(queue, async () => {
      if (queue.claimed.size === 0) queue.by_endpoint.clear()
      const is_rescan = queue.must_rescan || queue.rescanned.size > 0 || queue.claimed.size === 0
      queue.must_rescan = false
      const done = [...queue.rescanned].filter(
        (id) => (queue.by_endpoint.get(id)?.in_flight ?? 0) < per_endpoint_max / 2,
      )
      const found = await claims.claimDue(at(queue.workspace), {
        capacity,
        progress: queue.by_endpoint,
        claimed: is_rescan ? queue.claimed : 'all_before',
      })
      // The claim took so long that another process may have taken over.
      if (queue.lease_until <= now()) return
      if (is_rescan) for (const id of done) queue.rescanned.delete(id)
      for (const delivery of found) if (isOutOfOrder(queue, delivery)) queue.rescanned.add(delivery.webhook_id)
      for (const delivery of found) inBackground(send(queue, delivery))
    })
    claiming -= 1
    reserved -= capacity.total
    queue.refill_at = queue.in_flight / 2
    claimNext()
  }

  function capacityOf(queue: WorkspaceQueue): claims.Capacity {
    const own_max = in_flight_max / 2 - queue.in_flight + queue.in_flight_to_failing
    const own_failing_max = in_flight_to_failing_max / 2 - queue.in_flight_to_failing
    return {
      per_endpoint: per_endpoint_max,
      per_failing_endpoint: per_failing_endpoint_max,
      total: Math.max(0, Math.min(freeSlots(), own_max)),
      total_failing: Math.min(in_flight_to_failing_max - in_flight_to_failing, own_failing_max),
    }
  }

  /** Runs one piece of work at a time for a workspace, and only while this process has its lease. */
  async function whileLeased(queue: WorkspaceQueue, work: () => Promise<void>): Promise<void> {
    queue.is_claiming = true
    try {
      if (!is_stopping && (await renewLease(queue))) await work()
    } catch (error) {
      log.warn({ err: error }, 'deliveries could not be claimed')
    }
    queue.is_claiming = false
  }

  async function renewLease(queue: WorkspaceQueue): Promise<boolean> {
    if (queue.lease_until - now() < claims.lease_ms / 2) {
      const lease_until = await claims.takeLease(at(queue.workspace), lease_token)
      queue.lease_until = lease_until ?? 0
      queue.is_leased_by_other = lease_until === undefined
    }
    return !queue.is_leased_by_other
  }

  function count(queue: WorkspaceQueue, delivery: claims.Claimed, change: 1 | -1): void {
    in_flight += change
    if (isFailing(delivery)) in_flight_to_failing += change
    countInFlight(queue, delivery, change)
  }

  async function send(queue: WorkspaceQueue, delivery: claims.Claimed): Promise<void> {
    queue.claimed.add(delivery)
    claimed += 1
    count(queue, delivery, 1)
    const result = await attempt(delivery, send_options).catch((error: unknown) => {
      log.error({ err: error, webhook_id: delivery.webhook_id }, 'a delivery could not be sent')
    })
    count(queue, delivery, -1)
    if (is_stopped) return
    if (result) unrecorded.push(result)
    else release(queue, [delivery], false)
    if (!is_recording) inBackground(recordAll())
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

  /** Results that come in while others are being recorded are recorded together. */
  async function recordAll(): Promise<void> {
    is_recording = true
    while (unrecorded.length > 0) {
      const results = unrecorded.splice(0)
      const groups = Map.groupBy(results, ({ delivery }) => delivery.workspace).entries()
      const recordSome = async () => {
        for (const [workspace, group] of groups) {
          const is_recorded = await recordResults(at(workspace), group, log)
          const deliveries = group.map(({ delivery }) => delivery)
          release(queueOf(workspace), deliveries, is_recorded)
        }
      }
      await Promise.all(Array.from({ length: concurrent_records_max }, recordSome))
    }
    is_recording = false
    claimNext()
  }

  /** Makes room for other deliveries. Those that could not be recorded stay due, and are sent again after a pause. */
  function release(queue: WorkspaceQueue, deliveries: claims.Claimed[], is_recorded: boolean): void {
    const releaseNow = () => {
      for (const delivery of deliveries) queue.claimed.delete(delivery)
      claimed -= deliveries.length
      // There may be more that didn't fit into the capacity before.
      if (queue.claimed.size === 0) due_workspaces.add(queue.workspace)
    }
    const releaseLater = () => {
      waiting_for_retry -= deliveries.length
      releaseNow()
      claimNext()
    }
    if (is_recorded) releaseNow()
    else {
      waiting_for_retry += deliveries.length
      setTimeout(releaseLater, unrecorded_retry_ms).unref()
    }
    claimNext()
  }

  const idle = () =>
    new Promise<void>((resolve) => {
      waiting_for_idle.push(resolve)
      claimNext()
    })

  async function poll(only?: string): Promise<void> {
    for (const queue of queues.values()) {
      if (queue.claimed.size > 0 || queue.is_claiming) await renewLease(queue)
      else if (queue.lease_until < now()) queues.delete(queue.workspace)
    }
    for (const { workspace_id, status } of await claims.dueWorkspaces(pool, lease_token, now(), only)) {
      const queue = queueOf(workspace_id)
      queue.is_leased_by_other = false
      if (status === 'active') {
        queue.must_rescan = true
        due_workspaces.add(workspace_id)
      } else if (!queue.is_claiming) {
        await whileLeased(queue, () => claims.failPending(at(workspace_id), queue.claimed))
      }
    }
    claimNext()
  }

  return {
    send(workspace) {
      due_workspaces.add(workspace)
      claimNext()
    },
    poll,
    idle,
    async stop() {
      is_stopping = true
      await Promise.race([idle(), sleep(stop_wait_ms, undefined, { ref: false })])
      is_stopped = true
      for (const queue of queues.values()) {
        queue.lease_until = 0
        clearTimeout(queue.refill_timer)
      }
      await claims
        .releaseLeases(pool, lease_token)
        .catch((error: unknown) => log.warn({ err: error }, 'leases could not be released'))
    },
  }
}
