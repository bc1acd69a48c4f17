import { setTimeout as sleep } from 'node:timers/promises'
import { type At, type InWorkspace, newTool } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import type { Subscriber } from '../kit/http/operation.ts'
import { isBusy } from '../kit/postgres/errors.ts'
import type { Pool } from '../kit/postgres/pool.ts'
import { openRowWatch, type RowWatch } from '../kit/postgres/row-watch.ts'
import { raw } from '../kit/postgres/sql.ts'
import { invalid, notFound } from '../kit/problem.ts'
import type { Conversation, Turn } from './schema.ts'
import * as conversations from './store.ts'
import { table } from './store.ts'
import * as turns from './turns.ts'
import { withAuthors } from './turns.ts'

/** Keeps proxies from closing a quiet stream. */
const heartbeat_ms = 15_000
/** Quiet streams send their heartbeats together, so that their clients are checked together. */
const heartbeats_every_ms = 1_000
const retry_ms = 1_000
const turns_at_once = 100
const retry_read_after_ms = 500
/** Pieces are sent this often, because nobody reads faster. */
const pieces_every_ms = 30

interface Piece {
  seq: number
  text: string
}

/** A stream shows this of a conversation. */
export interface Shown {
  conversation: (conversation: Conversation) => object
  turn: (turn: Turn) => object
  /** The id of the event that a finished turn is sent as. */
  eventId: (seq: number) => string
}

/** A stream sends this besides: changes of something that the conversation belongs to. */
export interface Beside {
  /** Returns the function that ends the watch. `wake` is called when there may be something to read. */
  watch: (wake: () => void) => () => void
  /** Returns true if nothing follows: the stream then sends the turns that are left, and ends. */
  read: () => Promise<boolean>
  /** Returns what was read and not sent yet, as events. */
  take: () => string
}

const all_of_it: Shown = { conversation: (whole) => whole, turn: (whole) => whole, eventId: String }

/**
 * Sends a conversation as server-sent events. Finished turns come from the database, so that none is missed; the agent's words
 * as they are made come from memory, if this process makes them.
 */
export async function* stream(
  at: At,
  { id, shown = all_of_it, beside }: { id: string; shown?: Shown; beside?: Beside },
  subscriber: Subscriber,
): AsyncGenerator<string> {
  const { last_event_id, signal } = subscriber
  const first = await conversations.get(at, id)
  const last_seq = readLastSeq(last_event_id) ?? (await turns.lastFinished(at, first))
  let progress: Progress = { updated_at: undefined, last_seq, started_seq: 0 }
  /** True if there may be something new in the database. */
  let is_changed = true
  let pieces: Piece[] = []
  let wake = () => {}
  // This comes before anything that has to be ended: if the client is gone by then, nothing ends it.
  // With the id a client that reconnects before the first turn misses none.
  yield `retry: ${retry_ms}\nid: ${shown.eventId(last_seq)}\n\n`
  const stopListening = liveWords.of(at).listen(at, id, ({ seq }, text) => {
    const last = pieces.at(-1)
    if (last?.seq === seq) last.text += text
    else pieces.push({ seq, text })
    wake()
  })
  const stopWatching = conversationWatch.of(at).open(at, id, (snapshot) => {
    if (snapshot?.updated_at === progress.updated_at) return
    is_changed = true
    wake()
  })
  const stopBeside = beside?.watch(() => {
    is_changed = true
    wake()
  })
  try {
    const open = liveWords.of(at).openTurnOf(at, id)
    if (open) pieces = [{ seq: open.seq, text: open.text }]
    while (!signal.aborted) {
      const must_read: boolean = is_changed
      is_changed = false
      const news: News | undefined = must_read ? await read(at, { id, after: progress.last_seq, beside }) : nothing
      if (!news) await sleep(retry_read_after_ms)
      is_changed ||= !news || news.turns.length === turns_at_once
      const sent = pieces
      pieces = []
      const said = toChunk(progress, news ?? nothing, { pieces: sent, shown })
      progress = said.progress
      // The event that says that the end has come follows the last turn.
      const chunk = news?.is_last
        ? said.chunk + (is_changed ? '' : beside?.take())
        : (beside?.take() ?? '') + said.chunk
      if (chunk !== '') yield chunk
      if (news?.is_last && !is_changed) return
      // Pieces that come soon after the last are sent together.
      if (sent.length > 0) await sleep(pieces_every_ms)
      if (!is_changed && pieces.length === 0 && (await pause(signal, (resolve) => (wake = resolve)))) yield ':\n\n'
    }
  } finally {
    stopListening()
    stopWatching()
    stopBeside?.()
  }
}

/** The client knows this. */
interface Progress {
  /** The conversation had this `updated_at` when it was last sent. It is sent first. */
  updated_at: string | undefined
  /** The last finished turn. */
  last_seq: number
  /** The last turn that has begun. */
  started_seq: number
}

/** Returns events in the order of the turns, and what the client knows after them. The words of a turn come before its end. */
function toChunk(
  before: Progress,
  { turns, conversation }: News,
  { pieces, shown }: { pieces: Piece[]; shown: Shown },
): { chunk: string; progress: Progress } {
  const progress = { ...before }
  const start = ({ seq, role }: Pick<Turn, 'seq' | 'role'>): string => {
    if (seq <= progress.started_seq) return ''
    progress.started_seq = seq
    return event('turn.started', { seq, role })
  }
  const finish = (turn: Turn): string => {
    const started = start(turn)
    progress.last_seq = turn.seq
    return started + event('turn.finished', { turn: shown.turn(turn) }, shown.eventId(turn.seq))
  }
  const show = ({ seq, text }: Piece): string =>
    seq <= progress.last_seq ? '' : start({ seq, role: 'agent' }) + event('turn.delta', { seq, text })
  const first_seq = pieces[0]?.seq ?? 0
  const [earlier, later] = [turns.filter(({ seq }) => seq < first_seq), turns.filter(({ seq }) => seq >= first_seq)]
  const events = [...earlier.map(finish), ...pieces.map(show), ...later.map(finish)]
  if (conversation && conversation.updated_at !== before.updated_at) {
    const updated = event('conversation.updated', { conversation: shown.conversation(conversation) })
    if (before.updated_at === undefined) events.unshift(updated)
    else events.push(updated)
    progress.updated_at = conversation.updated_at
  }
  return { chunk: events.join(''), progress }
}

/** Resolves to true if nothing happened for a while. */
export async function pause(signal: AbortSignal, onWake: (wake: () => void) => void): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const wake = () => resolve(false)
  onWake(wake)
  const timer = setTimeout(() => resolve(true), heartbeat_ms - (clock.ticks() % heartbeats_every_ms))
  signal.addEventListener('abort', wake)
  const is_quiet = await promise
  clearTimeout(timer)
  signal.removeEventListener('abort', wake)
  return is_quiet
}

interface News {
  turns: Turn[]
  conversation: Conversation | undefined
  /** True if nothing follows. */
  is_last: boolean
}

const nothing: News = { turns: [], conversation: undefined, is_last: false }

interface Reading {
  id: string
  after: number
  beside: Beside | undefined
}

/** Returns undefined when the database is unavailable or busy: the stream continues. */
async function read(at: At, { id, after, beside }: Reading): Promise<News | undefined> {
  try {
    // This is read before the turns: a change that it shows is then followed by its turns at the latest.
    const is_last = (await beside?.read()) ?? false
    const conversation = await conversations.get(at, id)
    const found = await turns.listTogether(at, { conversation_id: id, after, limit: turns_at_once })
    return { conversation, turns: await withAuthors(at, found), is_last }
  } catch (error) {
    if (!isBusy(error)) throw error
    return undefined
  }
}

export function readLastSeq(last_event_id: string | undefined): number | undefined {
  if (last_event_id === undefined) return undefined
  if (/^\d{1,9}$/.test(last_event_id)) return Number(last_event_id)
  throw invalid([{ path: 'Last-Event-ID', code: 'format', message: 'Last-Event-ID must be the seq of a turn.' }])
}

export const event = (name: string, data: object, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

/** This much tells whether something has happened in a conversation. */
export interface Snapshot extends Pick<Conversation, 'id' | 'status' | 'turn_count' | 'updated_at'> {
  last_answer_seq: number
}

export const conversationWatch = newTool<RowWatch<Snapshot>>()

export const openConversationWatch = (pool: Pool): RowWatch<Snapshot> =>
  openRowWatch(pool, { table, columns: raw('id, status, turn_count, updated_at, last_answer_seq') })

interface Wait {
  id: string
  after: number
  wait_ms: number
}

/** Resolves when a turn of the agent or a person after `after` is finished, when the status changes, or after the wait. */
export async function waitForAnswer(at: At, { id, after, wait_ms }: Wait, signal: AbortSignal): Promise<void> {
  const watch = conversationWatch.of(at)
  const first = await watch.readSnapshot(at, id)
  if (!first) throw notFound()
  const isOver = (snapshot: Snapshot | undefined) =>
    !snapshot || snapshot.last_answer_seq > after || snapshot.status === 'closed' || snapshot.status !== first.status
  if (isOver(first)) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const stop = watch.open(at, id, (snapshot) => {
    if (isOver(snapshot)) resolve()
  })
  // Something may have happened before the watch was open.
  const again = watch.readSnapshot(at, id).then((snapshot) => (isOver(snapshot) ? resolve() : undefined))
  const ended = new AbortController()
  const limit = AbortSignal.any([signal, ended.signal])
  const late = sleep(wait_ms, undefined, { signal: limit }).catch(() => {})
  await Promise.race([promise, again.then(() => promise), late]).finally(() => {
    ended.abort()
    stop()
  })
}

interface OpenTurn {
  seq: number
  text: string
}

type Listener = (turn: OpenTurn, piece: string) => void

/** The agents' words as they are made, within this process. */
export interface LiveWords {
  /** The turn that the agent is making in this process, if any. */
  openTurnOf: (at: InWorkspace, id: string) => OpenTurn | undefined
  /** Returns the function that stops listening. */
  listen: (at: InWorkspace, id: string, listener: Listener) => () => void
  /** Opens what the driver of the conversation speaks with. */
  openSpeaker: (at: InWorkspace, id: string) => Speaker
}

export interface Speaker {
  say: (seq: number, piece: string) => void
  endTurn: () => void
}

export const liveWords = newTool(openLiveWords)

function openLiveWords(): LiveWords {
  const open_turns = new Map<string, OpenTurn>()
  const listeners = new Map<string, Set<Listener>>()
  const keyOf = ({ workspace }: InWorkspace, id: string) => `${workspace} ${id}`
  return {
    openTurnOf: (at, id) => open_turns.get(keyOf(at, id)),
    listen(at, id, listener) {
      const key = keyOf(at, id)
      const group = listeners.get(key) ?? new Set()
      listeners.set(key, group.add(listener))
      return () => {
        group.delete(listener)
        if (group.size === 0 && listeners.get(key) === group) listeners.delete(key)
      }
    },
    openSpeaker(at, id) {
      const key = keyOf(at, id)
      return {
        say(seq, piece) {
          const turn = open_turns.get(key) ?? { seq, text: '' }
          turn.text += piece
          open_turns.set(key, turn)
          for (const listener of listeners.get(key) ?? []) listener(turn, piece)
        },
        endTurn: () => void open_turns.delete(key),
      }
    },
  }
}
