import { newTool } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { Problem } from '../kit/problem.ts'

/** With speech that runs here, each call takes a good part of a processor. */
const offline_max = 10
const providers_max = 50
const retry_after_seconds = 10
/** This share of all places, and at least one, is kept for workspaces without a live call while others have a voice channel. */
const reserved_share = 1 / 4
/** The visitors of one channel may have this share of the places of their workspace, and at least one. */
const channel_share = 1 / 2
/** A carrier opens a stream, or asks what is next, within this time, here or at another process. */
export const expect_for_ms = 10_000

export const liveCalls = newTool<LiveCalls>()

export interface LiveCall {
  workspace: string
  /** The channel of a visitor, who talks in a browser and needs no key. */
  web_channel_id: string | null
  /** Whether its speech is recognised by this process. */
  is_offline: boolean
}

export interface DialedCall extends LiveCall {
  /** A stop waits until then for someone to answer. */
  rings_until: number
}

export interface AdmittedCall extends LiveCall {
  /** Its room is kept until then. */
  until: number
}

/**
 * Why there is no room for a call. `reserved`: what is left is for workspaces without a live call. `workspace` and `channel` have as
 * many as they may have.
 */
export type Refusal = 'stopping' | 'full' | 'reserved' | 'workspace' | 'channel'

/** The calls on real lines that this process drives. */
export interface LiveCalls {
  readonly count: number
  /** Set by a stop: calls that go on may end, and no new ones begin. */
  is_draining: boolean
  /** Set when the process ends by an error: calls are not ended, because their clients may come back to the next process. */
  is_abandoned: boolean
  /** The ids of calls that are over, until that is written, and the tokens of their leases: who has lost the lease can't end a call. */
  readonly over: Map<string, string>
  /** The calls that this process has dialled and that may still need room, by id. */
  readonly dialed: Map<string, DialedCall>
  /** The ids of calls by telephone whose stream may open here any moment, or whose carrier asks what is next, and until when they count. */
  readonly expected: Map<string, number>
  /** Calls that come in whose streams are to open, by the carrier's ids. */
  readonly admitted: Map<string, AdmittedCall>
  /** Up to two workspaces that have a voice channel, as they were read last. They count until `until_ticks`. */
  voice_workspaces: { ids: string[]; until_ticks: number }
  /** Whether streams open at this process. If not, all that it has dialled are held elsewhere. */
  has_sockets: boolean
  /** Of recordings that wait in memory to be stored. */
  unstored_bytes: number
  /**
   * Why there is no room for a call besides all others, or undefined if there is. `key` is its own in `dialed` or `admitted`. Who is on
   * the line already comes before those who are not, also during a stop.
   */
  findRefusal: (
    call: LiveCall,
    wish: { now: number; key?: string | undefined; is_on_line?: boolean },
  ) => Refusal | undefined
  add: (call: LiveCall) => void
  remove: (call: LiveCall) => void
  /** Someone is on the telephone, and a stream is to open, or the carrier is to ask what is next. */
  expect: (id: string, now: number) => void
  /** Nobody answers this call any more, and no stream follows. */
  noteOver: (id: string) => void
  /** How many calls by telephone a stop waits for besides those that are driven: they ring, or something of them is expected. */
  countAwaited: (now: number) => number
  /** A stop waits for what is left to do after a call, which takes no room: its recording is stored. It must not reject. */
  waitFor: (work: Promise<void>) => void
  /** There are no calls, and nothing is left to do. */
  readonly is_over: boolean
  /** Resolves when it is so. */
  ended: () => Promise<void>
}

export interface Limits {
  live_calls_max: number | undefined
  live_calls_workspace_max: number | undefined
}

export function openLiveCalls({ live_calls_max, live_calls_workspace_max }: Limits): LiveCalls {
  const calls = new Set<LiveCall>()
  const unfinished = new Set<Promise<void>>()
  let waiting: (() => void)[] = []
  const isOver = () => calls.size === 0 && unfinished.size === 0
  /** Until they are read, others may. */
  const mayOthersCall = ({ ids, until_ticks }: LiveCalls['voice_workspaces'], workspace: string) =>
    until_ticks <= clock.ticks() || ids.some((id) => id !== workspace)
  const boundsOf = ({ is_offline }: LiveCall) => {
    if (live_calls_max !== undefined) return [{ max: live_calls_max, counts: () => true }]
    const offline = { max: offline_max, counts: (call: LiveCall) => call.is_offline }
    return [{ max: providers_max, counts: () => true }, ...(is_offline ? [offline] : [])]
  }
  function noteEnd(): void {
    if (!isOver()) return
    const resolved = waiting
    waiting = []
    for (const resolve of resolved) resolve()
  }
  return {
    is_draining: false,
    is_abandoned: false,
    over: new Map(),
    dialed: new Map(),
    expected: new Map(),
    admitted: new Map(),
    voice_workspaces: { ids: [], until_ticks: 0 },
    has_sockets: false,
    unstored_bytes: 0,
    get count() {
      return calls.size
    },
    get is_over() {
      return isOver()
    },
    findRefusal(call, { now, key, is_on_line = false }) {
      if (this.is_draining && !is_on_line) return 'stopping'
      for (const [id, { until }] of this.admitted) if (until <= now) this.admitted.delete(id)
      const kept = is_on_line ? [] : [...this.dialed, ...this.admitted].flatMap(([id, one]) => (id === key ? [] : one))
      const all = [...calls, ...kept]
      const isOwn = ({ workspace }: LiveCall) => workspace === call.workspace
      const isOfChannel = ({ web_channel_id }: LiveCall) => web_channel_id === call.web_channel_id
      for (const { max, counts } of boundsOf(call)) {
        const counted = all.filter(counts)
        const own = counted.filter(isOwn)
        const own_max = Math.min(live_calls_workspace_max ?? max, max)
        const channel_max = Math.max(Math.floor(own_max * channel_share), 1)
        const reserved = Math.max(Math.floor(max * reserved_share), 1)
        if (counted.length >= max) return 'full'
        if (own.length >= own_max) return 'workspace'
        if (call.web_channel_id !== null && own.filter(isOfChannel).length >= channel_max) return 'channel'
        if (counted.length >= max - reserved && all.some(isOwn) && mayOthersCall(this.voice_workspaces, call.workspace))
          return 'reserved'
      }
      return undefined
    },
    expect(id, now) {
      const dialed = this.dialed.get(id)
      if (dialed) dialed.rings_until = now
      for (const [other, until] of this.expected) if (until <= now) this.expected.delete(other)
      this.expected.set(id, now + expect_for_ms)
    },
    noteOver(id) {
      this.dialed.delete(id)
      this.expected.delete(id)
    },
    countAwaited(now) {
      if (!this.has_sockets) return 0
      const untils = [...this.expected.values(), ...Array.from(this.dialed.values(), ({ rings_until }) => rings_until)]
      return untils.filter((until) => until > now).length
    },
    add: (call) => void calls.add(call),
    remove(call) {
      calls.delete(call)
      noteEnd()
    },
    waitFor(work) {
      unfinished.add(work)
      void work.finally(() => {
        unfinished.delete(work)
        noteEnd()
      })
    },
    ended: () => (isOver() ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  }
}

const refusal_messages: Record<Refusal, string> = {
  stopping: 'The service is stopping and begins no new calls.',
  full: 'This process has as many live calls as it can have.',
  reserved: 'The last lines of this process are kept for workspaces without a live call.',
  workspace: 'This workspace has as many live calls as it can have.',
  channel: 'This channel has as many live calls as it can have.',
}

export const noRoom = (refusal: Refusal): Problem =>
  new Problem(
    'SERVICE_UNAVAILABLE',
    `${refusal_messages[refusal]} Try again in a few seconds.`,
    {},
    { 'retry-after': String(retry_after_seconds) },
  )
