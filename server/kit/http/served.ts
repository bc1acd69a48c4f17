import { type At, newHook } from '../at.ts'
import type { Operation, ValidRequest } from './operation.ts'

/** A write that has succeeded, or a file that is about to be sent. */
export interface Served {
  operation: Operation
  request: ValidRequest
  /** The result of the operation. Undefined for files, and for batches whose parts run apart. */
  result: unknown
  /** Whether only a later part of a file is sent, as to a player that seeks or a download that resumes. */
  is_continued?: boolean
}

/** Runs in the transaction of the writes, and before the first byte of a file. */
export const served = newHook<Served[]>('http.served')

export async function reportServed(at: At, all: Served[]): Promise<void> {
  if (all.length > 0) await at.hooks.run(at, served, all)
}
