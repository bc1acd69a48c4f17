import type { Claimed, Progress } from './claims.ts'

/** What this process is sending for one workspace. An endpoint is the URL of a webhook. */
export interface SenderState {
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
  /** By webhook id: endpoints that had late deliveries, and may have more for which no slot was free. */
  endpoints_with_late: Set<string>
  /** The next batch is claimed when no more than this many are in flight. 0 when that claim is already due. */
  refill_at: number
  /** Set when an endpoint has none left: the next batch is claimed shortly, so that slow endpoints don't delay this one. */
  refill_timer: NodeJS.Timeout | undefined
}

export const newSenderState = (workspace: string): SenderState => ({
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
  endpoints_with_late: new Set(),
  refill_at: 0,
  refill_timer: undefined,
})

export const isFailing = ({ failing_since }: Claimed): boolean => failing_since !== null

export function countStart(state: SenderState, delivery: Claimed): void {
  state.claimed.add(delivery)
  countInFlight(state, delivery, 1)
}

/** The delivery stays claimed until its result is recorded. */
export function countEnd(state: SenderState, delivery: Claimed): void {
  countInFlight(state, delivery, -1)
}

function countInFlight(state: SenderState, delivery: Claimed, change: 1 | -1): void {
  const { webhook_id, due_at, id } = delivery
  state.in_flight += change
  if (isFailing(delivery)) state.in_flight_to_failing += change
  const progress = state.by_endpoint.get(webhook_id) ?? { in_flight: 0, due_at, id }
  state.by_endpoint.set(webhook_id, progress)
  progress.in_flight += change
  if (isBefore(delivery, progress)) return
  progress.due_at = due_at
  progress.id = id
}

/** Whether a later one was already claimed for the same endpoint. */
export const isLate = (state: SenderState, delivery: Claimed): boolean =>
  isBefore(delivery, state.by_endpoint.get(delivery.webhook_id))

type DueOrder = Pick<Progress, 'due_at' | 'id'>

const isBefore = (one: DueOrder, other: DueOrder = one): boolean =>
  one.due_at < other.due_at || (one.due_at === other.due_at && one.id < other.id)
