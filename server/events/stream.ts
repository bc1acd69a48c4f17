import { setTimeout as sleep } from 'node:timers/promises'
import type { At } from '../kit/at.ts'
import type { Subscriber } from '../kit/http/operation.ts'
import { isUnavailable } from '../kit/postgres/errors.ts'
import { Problem } from '../kit/problem.ts'
import * as feed from './feed.ts'
import type { Reader } from './named.ts'
import { idAt, lastPosition, positionOf } from './positions.ts'
import { type SharedReader, sharedReader } from './shared-reader.ts'

/** How often a quiet stream sends something, which keeps proxies from closing it. */
const heartbeat_ms = 15_000
/** The client reconnects after this long. */
const retry_ms = 1_000
const retry_read_after_ms = 500

/**
 * Sends events as server-sent events: those after the event that the client names, or new ones. It reads by position, so it
 * skips and repeats nothing.
 */
export async function* stream(
  at: At,
  { after, ...reader }: { after: string | undefined; names: feed.NamesFilter } & Reader,
  { last_event_id, signal }: Subscriber,
): AsyncGenerator<string> {
  let last_position = await lastPosition(at)
  let position = last_position
  // A browser reconnects to the same URL, so the header is newer than `after`.
  if (last_event_id !== undefined) position = await positionOf(at, { id: last_event_id, field: 'Last-Event-ID' })
  else if (after !== undefined) position = await positionOf(at, { id: after, field: 'after' })
  const shared_reader = sharedReader.of(at)
  // The id is sent first, so that a client that reconnects before the first event misses none.
  const begins_after = last_event_id ?? after ?? (await idAt(at, position))
  yield `retry: ${retry_ms}\n${begins_after === undefined ? '' : `id: ${begins_after}\n`}\n`
  while (!signal.aborted) {
    if (position < last_position) {
      const events = await readNext(shared_reader, at, { ...reader, after: position })
      if (!events) continue
      // A batch that is not full has all events of these types up to the last position.
      position = Math.max(events.at(-1)?.position ?? 0, events.length < feed.next_max ? last_position : 0)
      if (events.length > 0) yield events.map(toServerSentEvent).join('')
    } else {
      const newer = await shared_reader.waitFor(at.workspace, position, heartbeat_ms, signal)
      if (newer === undefined) yield ':\n\n'
      else last_position = newer
    }
  }
}

/** Returns undefined after a pause when the database is unavailable, so that the stream continues. */
async function readNext(
  shared_reader: SharedReader,
  at: At,
  range: feed.Range,
): Promise<feed.StreamedEvent[] | undefined> {
  try {
    return await shared_reader.next(at, range)
  } catch (error) {
    if (!isUnavailable(error) && !(error instanceof Problem)) throw error
    await sleep(retry_read_after_ms)
    return undefined
  }
}

/** Writes an event as a server-sent event. `data` and `previous` are JSON text, which has no line breaks. */
function toServerSentEvent(event: feed.StreamedEvent): string {
  const { id, type, resource_id, created_at, actor, subject, data, previous } = event
  const start = JSON.stringify({ id, type, resource_id, created_at, actor, subject }).slice(0, -1)
  return `id: ${id}\nevent: ${type}\ndata: ${start},"data":${data},"previous":${previous}}\n\n`
}
