import type { Claimed, Progress } from './claims.ts'

/** Deliveries that this process is sending for one workspace. */
export interface WorkspaceQueue {
  workspace: string
  /** Wall time. Until then no other process may send for this workspace. */
  lease_until: number
  is_leased_by_other: boolean
  /** Wall time. Until then this process doesn't ask for the lease again. */
  lease_retry_at: number
  is_claiming: boolean
  /** Claimed, and their results not yet recorded. */
  claimed: Set<Claimed>
  in_flight: number
  in_flight_to_failing: number
  /** By webhook id. */
  by_endpoint: Map<string, Progress>
  /**
   * A claim usually starts after the last delivery claimed for each endpoint. So it misses late deliveries: those that were
   * committed after one that is due later was claimed. When this is set, the next claim starts from the beginning.
   */
  must_rescan: boolean
  /** Endpoints that had late deliveries, and may have more for which there was no room. */
  with_late: Set<string>
  /** The next batch is claimed when no more than this many are in flight. */
  refill_at: number
  /** Set when an endpoint has none left: the next batch is claimed shortly, so that slow endpoints don't delay this one. */
  refill_timer: NodeJS.Timeout | undefined
}

export const newWorkspaceQueue = (workspace: string): WorkspaceQueue => ({
  workspace,
  lease_until: 0,
  is_leased_by_other: false,
  lease_retry_at: 0,
  is_claiming: false,
  claimed: new Set(),
  in_flight: 0,
  in_flight_to_failing: 0,
  by_endpoint: new Map(),
  must_rescan: false,
  with_late: new Set(),
  refill_at: 0,
  refill_timer: undefined,
})

export const isFailing = ({ failing_since }: Claimed): boolean => failing_since !== null

export function countStart(queue: WorkspaceQueue, delivery: Claimed): void {
  queue.claimed.add(delivery)
  countInFlight(queue, delivery, 1)
}

/** The delivery stays claimed until its result is recorded. */
export function countEnd(queue: WorkspaceQueue, delivery: Claimed): void {
  countInFlight(queue, delivery, -1)
}

function countInFlight(queue: WorkspaceQueue, delivery: Claimed, change: 1 | -1): void {
  const { webhook_id, due_at, id } = delivery
  queue.in_flight += change
  if (isFailing(delivery)) queue.in_flight_to_failing += change
  const progress = queue.by_endpoint.get(webhook_id) ?? { in_flight: 0, due_at, id }
  queue.by_endpoint.set(webhook_id, progress)
  progress.in_flight += change
  if (isBefore(delivery, progress)) return
  progress.due_at = due_at
  progress.id = id
}

/** Whether a later one was already claimed for the same endpoint. */
export const isLate = (queue: WorkspaceQueue, delivery: Claimed): boolean =>
  isBefore(delivery, queue.by_endpoint.get(delivery.webhook_id))

type DueOrder = Pick<Progress, 'due_at' | 'id'>

const isBefore = (one: DueOrder, other: DueOrder = one): boolean =>
  one.due_at < other.due_at || (one.due_at === other.due_at && one.id < other.id)
