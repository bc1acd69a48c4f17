import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Stay } from './stream-limits.ts'

/**
 * Whether a client reads shows by the chunks it takes. One is made ahead, so a client that stops reading costs the memory of
 * one piece.
 */
const chunk_bytes = 64 * 1024
const chunks_ahead = 1
/** For one piece. An attempt waits up to two seconds in the queue: the client has an answer within 7 seconds, and a later piece within 25. */
const attempts_max = { first: 3, later: 10 }
const ended: IteratorResult<string> = { done: true, value: undefined }

export interface Reading {
  /** Reads a piece when it is its turn. Rejects without reading when the wait is too long. */
  inQueue: <T>(read: () => Promise<T>) => Promise<T>
  /** Later pieces don't go through the queue: the next one may be long in coming. */
  is_endless?: boolean
  retry_after_ms?: number
}

/**
 * The body of an answer that is sent as it is made. Fails when its first piece fails, so that this is answered as any error; a
 * body that has begun can only break off.
 */
export async function openBody(
  pieces: AsyncIterable<string>,
  stay: Stay,
  { inQueue, is_endless = false, retry_after_ms = 500 }: Reading,
): Promise<Readable> {
  const iterator = pieces[Symbol.asyncIterator]()
  const read = () => iterator.next()

  /** Retries a piece that got no turn in time: it was not begun. Reads nothing for a client that has gone meanwhile. */
  async function readInQueue(attempts: number): Promise<IteratorResult<string>> {
    for (let attempt = 1; ; attempt += 1) {
      let has_begun = false
      try {
        return await inQueue(async () => {
          has_begun = true
          return stay.signal.aborted ? ended : read()
        })
      } catch (error) {
        if (has_begun || attempt === attempts) throw error
        await sleep(retry_after_ms)
      }
    }
  }

  async function* chunks(first: IteratorResult<string>): AsyncGenerator<Buffer> {
    try {
      for (let piece = first; !piece.done; piece = await (is_endless ? read() : readInQueue(attempts_max.later))) {
        if (!(await stay.isWelcome())) return
        const bytes = Buffer.from(piece.value)
        for (let start = 0; start < bytes.length; start += chunk_bytes) yield bytes.subarray(start, start + chunk_bytes)
      }
      if (!is_endless) stay.signal.throwIfAborted()
    } finally {
      await iterator.return?.()
    }
  }

  return Readable.from(chunks(await readInQueue(attempts_max.first)), { highWaterMark: chunks_ahead })
}
