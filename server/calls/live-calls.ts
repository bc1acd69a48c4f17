import { Problem } from '../kit/problem.ts'

/** With speech that runs here, each call takes a good part of a processor. */
const offline_max = 10
const providers_max = 50
const retry_after_seconds = 10
/** A carrier opens a stream, or asks what is next, within this time, here or at another process. */
export const expect_for_ms = 10_000

declare module '../kit/at.ts' {
  interface Tools {
    live_calls: LiveCalls
  }
}

export interface LiveCall {
  /** Whether its speech is recognised by this process. */
  is_offline: boolean
}

export interface DialedCall {
  workspace: string
  /** A stop waits until then for someone to answer. */
  rings_until: number
}

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
  /** The carrier's ids of calls that come in, whose streams are to open, and until when room is kept for them. */
  readonly admitted: Map<string, number>
  /** Whether streams open at this process. If not, all that it has dialled are held elsewhere. */
  has_sockets: boolean
  /** Of recordings that wait in memory to be stored. */
  unstored_bytes: number
  /** `taken` is how many more there are to come. During a stop there is room for those only who are on the line already. */
  hasRoom: (call: LiveCall, more?: { taken?: number; is_on_line?: boolean }) => boolean
  /** Whether there is also room for all that were dialled to be answered, and for all that were admitted. */
  hasRoomForAnother: (call: LiveCall, now: number) => boolean
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

export function openLiveCalls(live_calls_max: number | undefined): LiveCalls {
  const calls = new Set<LiveCall>()
  const unfinished = new Set<Promise<void>>()
  let waiting: (() => void)[] = []
  const isOver = () => calls.size === 0 && unfinished.size === 0
  const removeLate = (untils: Map<string, number>, now: number) => {
    for (const [id, until] of untils) if (until <= now) untils.delete(id)
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
    has_sockets: false,
    unstored_bytes: 0,
    get count() {
      return calls.size
    },
    get is_over() {
      return isOver()
    },
    hasRoom({ is_offline }, { taken = 0, is_on_line = false } = {}) {
      if (this.is_draining && !is_on_line) return false
      if (live_calls_max !== undefined) return calls.size + taken < live_calls_max
      const offline = [...calls].filter((call) => call.is_offline).length
      return calls.size + taken < providers_max && (!is_offline || offline + taken < offline_max)
    },
    hasRoomForAnother(call, now) {
      removeLate(this.admitted, now)
      return this.hasRoom(call, { taken: this.dialed.size + this.admitted.size })
    },
    expect(id, now) {
      const dialed = this.dialed.get(id)
      if (dialed) dialed.rings_until = now
      removeLate(this.expected, now)
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

export const noRoom = ({ is_draining }: Pick<LiveCalls, 'is_draining'>): Problem =>
  new Problem(
    'SERVICE_UNAVAILABLE',
    is_draining
      ? 'The service is stopping and begins no new calls. Try again in a few seconds.'
      : 'This process has as many live calls as it can have. Try again in a few seconds.',
    {},
    { 'retry-after': String(retry_after_seconds) },
  )
