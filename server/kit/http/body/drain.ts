import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { readPieces } from './chunks.ts'

const drain_max_ms = 30_000

/**
 * Answers a request of which some may still be on its way, and reads and drops the rest, within limits. A connection that
 * is closed while bytes are unread is reset, and a client that is still sending may then never see the answer. Where the
 * answer ends the connection, it is therefore sent last.
 */
export async function answerAndDrain(
  raw: IncomingMessage,
  response: ServerResponse,
  bytes_max: number,
  answer: () => void,
): Promise<void> {
  const is_first = response.shouldKeepAlive
  if (is_first) answer()
  await drain(raw, bytes_max)
  if (!is_first) answer()
  else if (!raw.complete) raw.destroy()
}

/** Ends with the request, with its connection, or when a limit is reached. */
async function drain(raw: IncomingMessage, bytes_max: number): Promise<void> {
  const over = new AbortController()
  const { signal } = over
  await Promise.race([
    readAll(raw, bytes_max),
    sleep(drain_max_ms, undefined, { signal }),
    // A request that has its answer doesn't report it.
    once(raw.socket, 'close', { signal }),
  ]).catch(() => {})
  over.abort()
}

async function readAll(raw: IncomingMessage, bytes_max: number): Promise<void> {
  let length = 0
  for await (const bytes of readPieces(raw)) {
    length += bytes.length
    if (length > bytes_max) return
  }
}
