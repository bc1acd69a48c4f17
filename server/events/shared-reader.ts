import { type At, newTool } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { openBatcher } from '../kit/limits/batch.ts'
import { inParallel } from '../kit/limits/in-parallel.ts'
import { statementKey } from '../kit/postgres/citus/tenants.ts'
import { isUnavailable } from '../kit/postgres/errors.ts'
import type { Db } from '../kit/postgres/pool.ts'
import * as feed from './feed.ts'
import { lastPosition, lastPositions } from './positions.ts'

const poll_every_ms = 200
/** Many workspaces may need a statement each, and requests need the database too. */
const statements_per_second_max = 500
/** At most this many statements run at once, so that most connections are left to requests. */
const statements_at_once = 4
const limits = { size_max: 100, in_flight_max: 2 }

interface WaitingStream {
  position: number
  until: number
  notify: (last_position: number | undefined) => void
  fail: (error: unknown) => void
}

interface SharedRange extends feed.Range {
  at: At
}

/** Serves all streams of the process: one poll finds new events for all, and streams at the same position share a read. */
export interface SharedReader {
  /** Resolves with the workspace's last position when it is beyond `position`, or with undefined after `wait_ms` or an abort. */
  waitFor: (workspace: string, position: number, wait_ms: number, signal: AbortSignal) => Promise<number | undefined>
  next: (at: At, range: feed.Range) => Promise<feed.StreamedEvent[]>
}

export const sharedReader = newTool<SharedReader>()

export function openSharedReader(db: Db): SharedReader {
  const waiting = new Map<string, Set<WaitingStream>>()
  let is_polling = false

  async function poll(workspaces: string[]): Promise<void> {
    const positions = await readPositions(db, workspaces).catch((error: unknown) => {
      if (isUnavailable(error)) return new Map<string, number>()
      throw error
    })
    const now = clock.ticks()
    for (const workspace of workspaces) {
      const last_position = positions.get(workspace) ?? 0
      for (const { position, until, notify } of waiting.get(workspace) ?? []) {
        if (last_position > position) notify(last_position)
        else if (until <= now) notify(undefined)
      }
    }
  }

  /** Polls as long as a stream waits. */
  async function keepPolling(): Promise<void> {
    const groups = [...Map.groupBy(waiting.keys(), (workspace) => statementKey(db, workspace)).values()]
    await inParallel(groups, { at_once: statements_at_once }, (group) =>
      poll(group).catch((error: unknown) => {
        for (const workspace of group) for (const { fail } of waiting.get(workspace) ?? []) fail(error)
      }),
    )
    is_polling = waiting.size > 0
    if (is_polling) setTimeout(() => void keepPolling(), waitMs(groups.length))
  }

  const waitMs = (statements: number) =>
    Math.max(poll_every_ms, (statements / statements_per_second_max) * clock.second_ms)

  const next = openBatcher<SharedRange, feed.StreamedEvent[]>(limits, async (_workspace, ranges) => {
    const found = new Map<string, feed.StreamedEvent[]>()
    const keyOf = ({ names, after, hides_contacts }: feed.Range) => `${names} ${after} ${hides_contacts}`
    for (const range of ranges) {
      const key = keyOf(range)
      if (!found.has(key)) found.set(key, await feed.listNext(range.at, range))
    }
    return ranges.map((range) => found.get(keyOf(range)) ?? [])
  })

  return {
    next: (at, range) => next(at.workspace, { ...range, at }),
    waitFor: (workspace, position, wait_ms, signal) =>
      new Promise<number | undefined>((resolve, reject) => {
        if (signal.aborted) return resolve(undefined)
        const group = waiting.get(workspace) ?? new Set()
        const leave = () => {
          signal.removeEventListener('abort', leave)
          group.delete(own)
          if (group.size === 0) waiting.delete(workspace)
          resolve(undefined)
        }
        const notify = (last_position: number | undefined) => {
          resolve(last_position)
          leave()
        }
        const fail = (error: unknown) => {
          reject(error)
          leave()
        }
        const own = { position, until: clock.ticks() + wait_ms, notify, fail }
        signal.addEventListener('abort', leave)
        waiting.set(workspace, group.add(own))
        if (is_polling) return
        is_polling = true
        setTimeout(() => void keepPolling(), poll_every_ms)
      }),
  }
}

async function readPositions(db: Db, workspaces: string[]): Promise<Map<string, number>> {
  const [first] = workspaces
  if (first === undefined) return new Map()
  return workspaces.length > 1
    ? lastPositions(db, workspaces)
    : new Map([[first, await lastPosition({ db, workspace: first })]])
}
