import * as clock from '../kit/clock.ts'
import { openBatcher } from '../kit/limits/batch.ts'
import { isUnavailable } from '../kit/postgres/errors.ts'
import type { Db } from '../kit/postgres/pool.ts'
import type { EventType } from './catalog.ts'
import * as feed from './feed.ts'

const look_every_ms = 200
const limits = { size_max: 100, in_flight_max: 2 }

interface Waiting {
  position: number
  until: number
  tell: (head: number | undefined) => void
  fail: (error: unknown) => void
}

interface Wanted {
  types: EventType[]
  after: number
}

/** What all streams of this process over one database share: one look at where their workspaces are, and what they read. */
export interface Watch {
  /** Where the workspace is once that is beyond the position; undefined when time is up, or the signal says so. */
  beyond: (workspace: string, position: number, wait_ms: number, signal: AbortSignal) => Promise<number | undefined>
  next: (workspace: string, wanted: Wanted) => Promise<feed.Kept[]>
}

const watches = new WeakMap<Db, Watch>()

export function watchOf(db: Db): Watch {
  let watch = watches.get(db)
  if (!watch) {
    watch = openWatch(db)
    watches.set(db, watch)
  }
  return watch
}

function openWatch(db: Db): Watch {
  const waiting = new Map<string, Set<Waiting>>()
  let is_looking = false

  /** Again and again, as long as somebody waits. */
  async function look(): Promise<void> {
    const heads = await feed.heads(db, [...waiting.keys()]).catch((error: unknown) => {
      if (isUnavailable(error)) return new Map<string, number>()
      throw error
    })
    const now = clock.ticks()
    for (const [workspace, group] of waiting) {
      const head = heads.get(workspace) ?? 0
      for (const { position, until, tell } of group) {
        if (head > position) tell(head)
        else if (until <= now) tell(undefined)
      }
    }
  }

  async function lookAgain(): Promise<void> {
    try {
      await look()
    } catch (error) {
      for (const group of waiting.values()) for (const { fail } of group) fail(error)
    }
    is_looking = waiting.size > 0
    if (is_looking) setTimeout(() => void lookAgain(), look_every_ms)
  }

  const read = openBatcher<Wanted, feed.Kept[]>(limits, async (workspace, all) => {
    const found = new Map<string, feed.Kept[]>()
    for (const { types, after } of all) {
      const name = `${types} ${after}`
      if (!found.has(name)) found.set(name, await feed.next(db, workspace, types, after))
    }
    return all.map(({ types, after }) => found.get(`${types} ${after}`) ?? [])
  })

  return {
    next: read,
    beyond: (workspace, position, wait_ms, signal) =>
      new Promise<number | undefined>((resolve, reject) => {
        if (signal.aborted) return resolve(undefined)
        const group = waiting.get(workspace) ?? new Set()
        const leave = () => {
          signal.removeEventListener('abort', leave)
          group.delete(own)
          if (group.size === 0) waiting.delete(workspace)
          resolve(undefined)
        }
        const tell = (head: number | undefined) => {
          resolve(head)
          leave()
        }
        const fail = (error: unknown) => {
          reject(error)
          leave()
        }
        const own = { position, until: clock.ticks() + wait_ms, tell, fail }
        signal.addEventListener('abort', leave)
        waiting.set(workspace, group.add(own))
        if (is_looking) return
        is_looking = true
        setTimeout(() => void lookAgain(), look_every_ms)
      }),
  }
}
