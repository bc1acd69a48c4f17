import type { Claimed, ClaimLimits } from './claims.ts'
import { isFailing, type SenderState } from './sender-state.ts'

export const per_endpoint_max = 10
/** A failing endpoint gets one request at a time, until one succeeds. */
const per_failing_endpoint_max = 1
/** Requests in flight. A workspace may use half of them. Failing endpoints have separate slots. */
const in_flight_max = 400
const in_flight_to_failing_max = 100
/** Attempts that have ended and whose results are not yet recorded. A workspace may have half of them. */
const unrecorded_max = 400

/** Counts the deliveries that this process is sending, of all workspaces, and limits how many more are claimed. */
export class Capacity {
  #claimed = 0
  #in_flight = 0
  #in_flight_to_failing = 0
  /** Slots that claims in progress may fill. */
  #reserved = 0
  #waiting_for_retry = 0

  /** Whether nothing is in flight or unrecorded, except what waits to be sent again. */
  get is_idle(): boolean {
    return this.#claimed === this.#waiting_for_retry
  }

  /** Ignores the slots for failing endpoints: while these are taken, other endpoints are still served. */
  get is_full(): boolean {
    return this.#freeSlots() <= 0 || this.#claimed - this.#in_flight >= unrecorded_max
  }

  isFullFor({ claimed, in_flight }: SenderState): boolean {
    return claimed.size - in_flight >= unrecorded_max / 2
  }

  /** Reserves slots for a claim. Call `cancelReservation` when its deliveries have started, which then count themselves. */
  reserve({ in_flight, in_flight_to_failing }: SenderState): ClaimLimits {
    const workspace_max = in_flight_max / 2 - (in_flight - in_flight_to_failing)
    const workspace_failing_max = in_flight_to_failing_max / 2 - in_flight_to_failing
    const limits = {
      per_endpoint: per_endpoint_max,
      per_failing_endpoint: per_failing_endpoint_max,
      total: Math.max(0, Math.min(this.#freeSlots(), workspace_max)),
      // Not reserved: claims at the same time may exceed it a little, once. A negative limit claims none.
      total_failing: Math.min(in_flight_to_failing_max - this.#in_flight_to_failing, workspace_failing_max),
    }
    this.#reserved += limits.total
    return limits
  }

  cancelReservation({ total }: ClaimLimits): void {
    this.#reserved -= total
  }

  start(delivery: Claimed): void {
    this.#claimed += 1
    this.#countInFlight(delivery, 1)
  }

  end(delivery: Claimed): void {
    this.#countInFlight(delivery, -1)
  }

  release(count: number): void {
    this.#claimed -= count
  }

  /** These deliveries stay claimed, and don't count as work in progress. */
  holdForRetry(count: number): void {
    this.#waiting_for_retry += count
  }

  endRetryHold(count: number): void {
    this.#waiting_for_retry -= count
  }

  #freeSlots(): number {
    return in_flight_max - this.#reserved - (this.#in_flight - this.#in_flight_to_failing)
  }

  #countInFlight(delivery: Claimed, change: 1 | -1): void {
    this.#in_flight += change
    if (isFailing(delivery)) this.#in_flight_to_failing += change
  }
}
