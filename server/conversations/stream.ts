import type { At } from '../kit/at.ts'
import type { Subscriber } from '../kit/http/operation.ts'
import { isUnavailable } from '../kit/postgres/errors.ts'
import { invalid } from '../kit/problem.ts'
import * as live from './live.ts'
import type { Conversation, Turn } from './schema.ts'
import * as conversations from './store.ts'
import * as turns from './turns.ts'

/** Keeps proxies from closing a quiet stream. */
const heartbeat_ms = 15_000
const retry_ms = 1_000
const turns_at_once = 100

interface Piece {
  seq: number
  text: string
}

/**
 * Sends a conversation as server-sent events. Finished turns come from the database, so that none is missed; the agent's words
 * as they are made come from memory, if this process makes them.
 */
export async function* stream(
  at: At,
  { id }: { id: string },
  { last_event_id, signal }: Subscriber,
): AsyncGenerator<string> {
  let conversation = await conversations.get(at, id)
  let last_seq = readLastSeq(last_event_id) ?? (await turns.lastFinished(at, conversation))
  /** Whether there may be something new in the database. */
  let is_changed = true
  let pieces: Piece[] = []
  let started_seq = 0
  let wake = () => {}
  // Before anything that has to be ended: if the client is gone by then, nothing ends it.
  yield `retry: ${retry_ms}\n\n`
  const stopListening = live.listen(id, ({ seq }, text) => {
    const last = pieces.at(-1)
    // A client that reads slowly gets fewer, longer pieces.
    if (last?.seq === seq) last.text += text
    else pieces.push({ seq, text })
    wake()
  })
  const stopWatching = at.tools.watch.open(at, id, (glance) => {
    if (glance?.updated_at === conversation.updated_at) return
    is_changed = true
    wake()
  })
  try {
    const open = live.openTurnOf(id)
    if (open) pieces = [{ seq: open.seq, text: open.text }]
    while (!signal.aborted) {
      if (is_changed) {
        is_changed = false
        const news = await read(at, id, last_seq)
        if (!news) is_changed = true
        for (const turn of news?.turns ?? []) {
          if (turn.seq > started_seq) yield event('turn.started', { seq: turn.seq, role: turn.role })
          last_seq = turn.seq
          started_seq = Math.max(started_seq, turn.seq)
          yield event('turn.finished', { turn }, turn.seq)
        }
        if (news && news.conversation.updated_at !== conversation.updated_at) {
          conversation = news.conversation
          yield event('conversation.updated', { conversation })
        }
        if (news?.turns.length === turns_at_once) is_changed = true
      }
      const now = pieces
      pieces = []
      for (const { seq, text } of now) {
        if (seq <= last_seq) continue
        if (seq > started_seq) yield event('turn.started', { seq, role: 'agent' })
        started_seq = Math.max(started_seq, seq)
        yield event('turn.delta', { seq, text })
      }
      if (!is_changed && pieces.length === 0 && (await pause(signal, (resolve) => (wake = resolve)))) yield ':\n\n'
    }
  } finally {
    stopListening()
    stopWatching()
  }
}

/** True if nothing happened for a while. */
async function pause(signal: AbortSignal, onWake: (wake: () => void) => void): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const wake = () => resolve(false)
  onWake(wake)
  const timer = setTimeout(() => resolve(true), heartbeat_ms)
  signal.addEventListener('abort', wake)
  const is_quiet = await promise
  clearTimeout(timer)
  signal.removeEventListener('abort', wake)
  return is_quiet
}

/** Undefined when the database is unavailable: the stream continues. */
async function read(
  at: At,
  id: string,
  after: number,
): Promise<{ turns: Turn[]; conversation: Conversation } | undefined> {
  try {
    // Before the turns: a change that it shows is then followed by its turns at the latest.
    const conversation = await conversations.get(at, id)
    return { conversation, turns: await turns.listTogether(at, { conversation_id: id, after, limit: turns_at_once }) }
  } catch (error) {
    if (!isUnavailable(error)) throw error
    return undefined
  }
}

function readLastSeq(last_event_id: string | undefined): number | undefined {
  if (last_event_id === undefined) return undefined
  if (/^\d{1,9}$/.test(last_event_id)) return Number(last_event_id)
  throw invalid([{ path: 'Last-Event-ID', code: 'format', message: 'Last-Event-ID must be the seq of a turn.' }])
}

const event = (name: string, data: object, id?: number): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
