import type { IncomingHttpHeaders } from 'node:http'
import type { Caller, Operation } from './operation.ts'

/** A set of operations, the paths at which they are served, and how their callers are identified. */
export interface Door {
  operations: Operation[]
  /** The path before the operations' own, as clients see it. */
  base_path: string
  /** The paths under which the operations are served. */
  served_at: string[]
  /**
   * Returns the caller, or undefined when the credential is unknown; may also throw a Problem. Returns without a promise
   * when no lookup is needed.
   */
  identify: (
    head: RequestHead,
    now: number,
    options?: IdentifyOptions,
  ) => Promise<Caller | undefined> | Caller | undefined
  /** These headers are added to every response. */
  headers?: Record<string, string>
  /** Writes open their own transactions and take no idempotency keys. */
  opens_own_transactions?: boolean
  /**
   * Set for callers outside the workspace: a separate concurrency limit and write queue, so that they can't block the
   * workspace's own requests.
   */
  concurrency?: { max: number; per_caller_max: number }
  /** Streams of this door have limits of their own, and get 503 above them. */
  streams?: { max: number; per_workspace_max: number; per_caller_max: number }
  /** Set for callers outside the workspace: their keys would be among those of the workspace. */
  has_no_idempotency_keys?: boolean
  /** Requests are limited by concurrency only. */
  has_no_rate_limit?: boolean
}

export interface IdentifyOptions {
  /** The caller of a stream is checked again while it is open. This doesn't count as a use of its key or session. */
  is_recheck?: boolean
}

/** A request of which only the head was read. */
export interface RequestHead {
  readonly operation: Operation
  readonly method: string
  readonly headers: IncomingHttpHeaders
  readonly ip: string
  /** Path parameters, not validated. */
  readonly params: Record<string, string>
  /** The bearer token, when there is exactly one. */
  readonly token: string | undefined
  /** Removes a query parameter that is meant for the door and returns it. Operations don't see it. */
  takeFromQuery(name: string): string | undefined
  /** Adds a header to the response, also to an error. */
  addHeader(name: string, value: string): void
}
