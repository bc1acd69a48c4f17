import type { IncomingMessage } from 'node:http'

const drain_max_ms = 30_000

/**
 * Reads and drops the rest of a request that was answered before all of it had come, within limits. A connection that is
 * closed while bytes are unread is reset, and a client that is still sending may then never see the answer.
 */
export async function drain(raw: IncomingMessage, bytes_max: number): Promise<void> {
  const timer = setTimeout(() => raw.destroy(), drain_max_ms)
  let length = 0
  try {
    for await (const bytes of raw.iterator({ destroyOnReturn: false })) {
      length += bytes.length
      if (length > bytes_max) break
    }
  } catch {
    // The client has gone, or the time is over.
  } finally {
    clearTimeout(timer)
  }
  if (!raw.complete) raw.destroy()
}
