import type { IncomingHttpHeaders } from 'node:http'
import type { Caller, Operation } from './operation.ts'

/** Operations, where they are reached, and who is let in there. */
export interface Door {
  operations: Operation[]
  /** The path before the operations' own, as clients see it. */
  base_path: string
  /** The paths under which the operations are served. */
  served_at: string[]
  /**
   * Who knocks; undefined when nobody knows. At once when it is known, else a promise, which may also refuse with a
   * Problem. A re-check, of who listens to a stream, is no use of the key or session: only requests are.
   */
  identify: (knock: Knock, now: number, is_recheck?: boolean) => Promise<Caller | undefined> | Caller | undefined
  /** What every answer has besides. */
  headers?: Record<string, string>
  /** Its writes open transactions of their own, as it suits them, and keep no idempotency keys. */
  is_plain?: boolean
  /**
   * Its callers are no part of the workspace. They have their own queue and concurrency limit, so that they leave the
   * workspace's own requests alone.
   */
  is_inlet?: boolean
}

/** A request at the door: nothing of it but its head has been read. */
export interface Knock {
  readonly operation: Operation
  readonly method: string
  readonly headers: IncomingHttpHeaders
  readonly ip: string
  /** Of the path, as they stand there. */
  readonly params: Record<string, string>
  /** The bearer token, when there is exactly one. */
  readonly token: string | undefined
  /** A parameter in the address that is meant for the door: it is taken out, operations don't see it. */
  takeFromQuery(name: string): string | undefined
  /** For the answer, whatever it will be. */
  addHeader(name: string, value: string): void
}
