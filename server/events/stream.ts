import { setTimeout as sleep } from 'node:timers/promises'
import type { Listener } from '../kit/http/operation.ts'
import { isUnavailable } from '../kit/postgres/errors.ts'
import type { Db } from '../kit/postgres/pool.ts'
import { Problem } from '../kit/problem.ts'
import type { EventType } from './catalog.ts'
import * as feed from './feed.ts'
import type { StreamQuery } from './schema.ts'
import { type Watch, watchOf } from './subscribers.ts'

/** So that nobody on the way takes a quiet stream for a dead one. */
const heartbeat_ms = 15_000
/** After how long a client that lost its connection comes back. */
const retry_ms = 1_000
const again_after_ms = 500

/**
 * Server-sent events: what came after the event that the client names, or what comes from now on. It is read by position, so
 * that nothing is skipped or repeated.
 */
export async function* stream(
  db: Db,
  workspace: string,
  { after, type }: StreamQuery,
  readable: EventType[],
  { last_event_id, signal }: Listener,
): AsyncGenerator<string> {
  let head = (await feed.heads(db, [workspace])).get(workspace) ?? 0
  let position = head
  // A browser that comes back asks at the same address, and says in the header how far it is.
  if (last_event_id !== undefined) position = await feed.positionOf(db, workspace, last_event_id, 'Last-Event-ID')
  else if (after !== undefined) position = await feed.positionOf(db, workspace, after, 'after')
  const watch = watchOf(db)
  const types = feed.shown(type, readable)
  yield `retry: ${retry_ms}\n\n`
  while (!signal.aborted) {
    if (position < head) {
      const events = await nextOf(watch, workspace, types, position)
      if (!events) continue
      // Fewer than asked for: none of these types is left up to there.
      position = Math.max(events.at(-1)?.position ?? 0, events.length < feed.next_at_once ? head : 0)
      if (events.length > 0) yield events.map(linesOf).join('')
    } else {
      const news = await watch.beyond(workspace, position, heartbeat_ms, signal)
      if (news === undefined) yield ':\n\n'
      else head = news
    }
  }
}

/** Undefined, after a pause, when the database is away: that doesn't end the stream. */
async function nextOf(
  watch: Watch,
  workspace: string,
  types: EventType[],
  after: number,
): Promise<feed.Kept[] | undefined> {
  try {
    return await watch.next(workspace, { types, after })
  } catch (error) {
    if (!isUnavailable(error) && !(error instanceof Problem)) throw error
    await sleep(again_after_ms)
    return undefined
  }
}

/** On one line, as JSON has it without line breaks of its own. */
function linesOf({ id, type, resource_id, created_at, data, previous }: feed.Kept): string {
  const head = JSON.stringify({ id, type, resource_id, created_at }).slice(0, -1)
  return `id: ${id}\nevent: ${type}\ndata: ${head},"data":${data},"previous":${previous}}\n\n`
}
