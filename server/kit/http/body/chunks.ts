import type { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'

const small_bytes = 16 * 1024

/**
 * Reads the body in chunks. A small chunk is joined with those that arrive in the same turn of the event loop: a client may
 * send one byte at a time, and each chunk costs as much as a large one. Leaves the body open if the reader stops early.
 */
export async function* readChunks(body: Readable): AsyncGenerator<Buffer> {
  for await (const chunk of body.iterator({ destroyOnReturn: false })) {
    if (chunk.length < small_bytes) await setImmediate()
    // A read of more than the high-water mark would raise it.
    const rest: Buffer | null = body.read(Math.min(body.readableLength, body.readableHighWaterMark))
    yield rest ? Buffer.concat([chunk, rest]) : chunk
  }
}
