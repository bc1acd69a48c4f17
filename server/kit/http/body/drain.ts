import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasBody } from '../headers.ts'
import { readChunks } from './chunks.ts'

const drain_max_ms = 30_000
/** A client that sends nothing for this long is not sending any more. */
const silent_max_ms = 1_000
/** At most this many bytes are read and dropped: as many as the largest upload has. */
const drain_max_bytes = 512 * 1024 * 1024

/** Whether the client may still be sending the body. */
export const isArriving = (raw: IncomingMessage): boolean => hasBody(raw) && !raw.complete

/**
 * A response that is sent at once, and ends when the rest of the request's body was read and dropped, within limits. Closing a
 * connection with unread bytes resets it, and a client that is still sending might never see the response.
 */
export const answerAndDrain = (raw: IncomingMessage, answer: string | Buffer): Readable => {
  async function* answerFirst(): AsyncGenerator<string | Buffer> {
    yield answer
    await drain(raw)
    if (!raw.complete) raw.destroy()
  }
  return Readable.from(answerFirst())
}

/** Returns when the body ends, the connection closes or a limit is reached. */
async function drain(raw: IncomingMessage): Promise<void> {
  const done = new AbortController()
  const { signal } = done
  await Promise.race([
    dropBody(raw),
    sleep(drain_max_ms, undefined, { signal }),
    // A request that was answered doesn't report that its connection closed.
    once(raw.socket, 'close', { signal }),
  ]).catch(() => {})
  done.abort()
}

async function dropBody(raw: IncomingMessage): Promise<void> {
  const { promise: silent, resolve: endSilent } = Promise.withResolvers<void>()
  const timer = setTimeout(endSilent, silent_max_ms)
  const read = async () => {
    let length = 0
    for await (const chunk of readChunks(raw)) {
      timer.refresh()
      length += chunk.length
      if (length > drain_max_bytes) return
    }
  }
  await Promise.race([read(), silent]).finally(() => clearTimeout(timer))
}

/** How many bytes each connection may have sent in all, if it was answered without a parsed request and is still read. */
const draining = new WeakMap<Socket, number>()

/**
 * Lets a connection whose bytes the parser rejects send the rest, within the same limits. The parser reports an error
 * for each chunk, and drops it.
 */
export function drainSocket(socket: Socket): void {
  if (socket.destroyed) return
  draining.set(socket, socket.bytesRead + drain_max_bytes)
  const timer = setTimeout(() => socket.destroy(), drain_max_ms)
  timer.unref()
  socket.once('close', () => clearTimeout(timer))
}

export const isDraining = (socket: Socket): boolean => socket.bytesRead <= (draining.get(socket) ?? -1)
