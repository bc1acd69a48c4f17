import { setTimeout as sleep } from 'node:timers/promises'
import { type At, newTool } from '../kit/at.ts'
import type { Pool } from '../kit/postgres/pool.ts'
import { openRowWatch, type RowWatch } from '../kit/postgres/row-watch.ts'
import { raw } from '../kit/postgres/sql.ts'
import { notFound } from '../kit/problem.ts'
import type { Conversation } from './schema.ts'
import { table } from './store.ts'

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
