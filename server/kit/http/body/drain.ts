import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { readChunks } from './chunks.ts'

const drain_max_ms = 30_000

/**
 * Answers a request whose body may still be arriving, then reads and drops the rest, within limits. Closing a connection
 * with unread bytes resets it, and a client that is still sending might never see the response. If the response closes the
 * connection, it is therefore sent after the rest was read.
 */
export async function answerAndDrain(
  raw: IncomingMessage,
  response: ServerResponse,
  bytes_max: number,
  answer: () => void,
): Promise<void> {
  const { shouldKeepAlive: answers_first } = response
  if (answers_first) answer()
  await drain(raw, bytes_max)
  if (!answers_first) answer()
  else if (!raw.complete) raw.destroy()
}

/** Returns when the body ends, the connection closes or a limit is reached. */
async function drain(raw: IncomingMessage, bytes_max: number): Promise<void> {
  const done = new AbortController()
  const { signal } = done
  await Promise.race([
    dropBody(raw, bytes_max),
    sleep(drain_max_ms, undefined, { signal }),
    // A request that was answered doesn't report that its connection closed.
    once(raw.socket, 'close', { signal }),
  ]).catch(() => {})
  done.abort()
}

async function dropBody(raw: IncomingMessage, bytes_max: number): Promise<void> {
  let length = 0
  for await (const chunk of readChunks(raw)) {
    length += chunk.length
    if (length > bytes_max) return
  }
}
