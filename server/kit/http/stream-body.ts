import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { StreamLimits } from './stream-limits.ts'

/** Small enough that a client that reads, even slowly, takes a chunk before it counts as stalled. */
const chunk_bytes = 64 * 1024
/** A client that stops reading costs the memory of one piece. */
const chunks_ahead = 1
/**
 * Attempts for each piece. An attempt waits up to two seconds in the queue, so the client has a response within 7 seconds and
 * each later piece within 25.
 */
const attempts_max = { first: 3, later: 10 }
type Piece = string | Buffer
const ended: IteratorResult<Piece> = { done: true, value: undefined }

export interface StreamBodyOptions {
  /** Runs `read` in a queue. Rejects without running it if the wait is too long. */
  inQueue: <T>(read: () => Promise<T>) => Promise<T>
  /** Only the first piece goes through the queue: a stream may wait long for the next one. */
  is_endless?: boolean
  retry_after_ms?: number
}

/**
 * A response body that is sent while it is generated. Rejects if the first piece fails, so that the client gets an error
 * response. After that, an error can only end the connection.
 */
export async function openStreamBody(
  pieces: AsyncIterable<Piece>,
  limits: StreamLimits,
  { inQueue, is_endless = false, retry_after_ms = 500 }: StreamBodyOptions,
): Promise<Readable> {
  const iterator = pieces[Symbol.asyncIterator]()
  const read = () => iterator.next()

  /** Retries a piece whose wait in the queue was too long. Reads nothing if the client has disconnected. */
  async function readInQueue(attempts: number): Promise<IteratorResult<Piece>> {
    for (let attempt = 1; ; attempt += 1) {
      let has_begun = false
      try {
        return await inQueue(async () => {
          has_begun = true
          return limits.signal.aborted ? ended : read()
        })
      } catch (error) {
        if (has_begun || attempt === attempts) throw error
        await sleep(retry_after_ms)
      }
    }
  }

  async function* chunks(first: IteratorResult<Piece>): AsyncGenerator<Buffer> {
    try {
      for (let piece = first; !piece.done; piece = await (is_endless ? read() : readInQueue(attempts_max.later))) {
        if (!(await limits.mayContinue())) return
        const bytes = typeof piece.value === 'string' ? Buffer.from(piece.value) : piece.value
        for (let start = 0; start < bytes.length; start += chunk_bytes) yield bytes.subarray(start, start + chunk_bytes)
      }
      if (!is_endless) limits.signal.throwIfAborted()
    } finally {
      await iterator.return?.()
    }
  }

  return Readable.from(chunks(await readInQueue(attempts_max.first)), { highWaterMark: chunks_ahead })
}
