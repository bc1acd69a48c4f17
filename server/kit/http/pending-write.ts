import type { Answer } from './envelope.ts'
import type { KeyedRequest } from './idempotency.ts'
import type { Batch, Raw, ValidRequest, Write, WriteMany } from './operation.ts'
import type { RawRequest } from './raw.ts'

export interface PendingWrite {
  operation: Write | WriteMany | Raw
  request: ValidRequest
  /** Set for raw operations. */
  raw?: RawRequest
  /** Set when the request has an idempotency key. */
  keyed: KeyedRequest | undefined
  /** Does the work of a remote operation that has an idempotency key. */
  runRemote?: () => Promise<void>
  answer: (result: unknown) => Answer
  /** Set for a batch whose parts run in one transaction. */
  batch?: PendingBatch
}

export interface PendingBatch extends Batch {
  operation: Write
  request: ValidRequest
  keyed: KeyedRequest | undefined
  base_path: string
}
