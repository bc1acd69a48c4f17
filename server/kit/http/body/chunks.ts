import type { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'

const small_bytes = 16 * 1024

/**
 * The bytes of a body in pieces. What arrives after a small one in the same turn of the event loop is added to it: a body
 * may come in chunks of one byte, and each piece costs as much as a large one. The body stays open when it is read no further.
 */
export async function* readPieces(body: Readable): AsyncGenerator<Buffer> {
  for await (const piece of body.iterator({ destroyOnReturn: false })) {
    if (piece.length < small_bytes) await setImmediate()
    // To ask for more than the mark would raise it.
    const rest: Buffer | null = body.read(Math.min(body.readableLength, body.readableHighWaterMark))
    yield rest ? Buffer.concat([piece, rest]) : piece
  }
}
