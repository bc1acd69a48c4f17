import { readWithVoice } from '../channels/store.ts'
import { type AtOutside, type InWorkspace, newTool } from '../kit/at.ts'
import * as clock from '../kit/clock.ts'
import { sharedRead } from '../kit/postgres/shared-read.ts'
import { Problem } from '../kit/problem.ts'
import { findNotOver } from './rows.ts'

/** A call whose speech runs in this process takes a good part of a processor. */
const offline_max = 10
const providers_max = 50
const retry_after_seconds = 10
/** This share of all places, and at least one, is kept for workspaces without a live call while others have a voice channel. */
const reserved_share = 1 / 4
/** The visitors of one channel may have this share of the places of their workspace, and at least one. */
const channel_share = 1 / 2
/** A carrier opens a stream, or asks what is next, within this time, here or at another process. */
const expect_for_ms = 10_000
/** A second workspace that gets its first voice channel is reserved room after this time. */
const read_every_ms = 10_000
/** At most this many bytes of the recordings of all calls wait in memory to be stored. */
const unstored_bytes_max = 128 * 1024 * 1024

export const liveCalls = newTool<LiveCalls>()

export interface LiveCall {
  workspace: string
  /** The channel of a visitor, who talks in a browser and needs no key. */
  web_channel_id: string | null
  /** Whether its speech is recognised by this process. */
  is_offline: boolean
}

/** Makes a live call with this speech. A call without speech counts among those whose speech is recognised here. */
export const newLiveCall = (
  { workspace }: { workspace: string },
  speech: { listen: { model: { provider: string } } } | undefined,
  web_channel_id: string | null = null,
): LiveCall => ({ workspace, web_channel_id, is_offline: !speech || isOffline(speech.listen.model) })

/** Whether speech is recognised in this process, and not by a provider. */
export const isOffline = ({ provider }: { provider: string }): boolean => provider.startsWith('offline')

interface DialedCall extends LiveCall {
  /** A stop waits until then for someone to answer. */
  rings_until: number
}

interface AdmittedCall extends LiveCall {
  /** The room of the call is kept until then. */
  until: number
}

/**
 * Why there is no room for a call. `reserved`: what is left is for workspaces without a live call. `workspace` and `channel` have as
 * many as they may have.
 */
export type Refusal = 'stopping' | 'full' | 'reserved' | 'workspace' | 'channel'

interface Wish {
  /** The key of the call itself among those that have room and don't need it yet. */
  key?: string
  /** Whoever is on the line already comes before those who are not, also during a stop. */
  is_on_line?: boolean
}

export interface Limits {
  live_calls_max: number | undefined
  live_calls_workspace_max: number | undefined
}

/** The calls on real lines that this process drives, and those that have room here and may need it. */
export class LiveCalls {
  readonly #limits: Limits
  readonly #calls = new Set<LiveCall>()
  readonly #unfinished = new Set<Promise<void>>()
  /** The tokens of the leases of calls that are over, by their ids, until that is written. */
  readonly #over = new Map<string, string>()
  /** The calls that this process has dialled and that may still need room, by id. */
  readonly #dialed = new Map<string, DialedCall>()
  /** Until when calls by telephone count whose stream may open here, or whose carrier asks what is next, by id. */
  readonly #expected = new Map<string, number>()
  /** Calls that come in whose streams are to open, by the carrier's ids. */
  readonly #admitted = new Map<string, AdmittedCall>()
  /** Up to two workspaces that have a voice channel, as they were read last. */
  #voice_workspaces: { ids: string[]; until_ticks: number } = { ids: [], until_ticks: 0 }
  #is_draining = false
  #is_abandoned = false
  #has_streams = false
  #unstored_bytes = 0
  #waiting: (() => void)[] = []

  constructor(limits: Limits) {
    this.#limits = limits
  }

  get count(): number {
    return this.#calls.size
  }

  /** Begins no new calls from now on. Calls that go on may end. */
  drain(): void {
    this.#is_draining = true
  }

  get is_draining(): boolean {
    return this.#is_draining
  }

  /** The process ends by an error: calls are not ended, because their clients may come back to the next process. */
  abandon(): void {
    this.#is_abandoned = true
  }

  get is_abandoned(): boolean {
    return this.#is_abandoned
  }

  /** Streams open at this process from now on. Without them, all calls that it has dialled are held elsewhere. */
  openStreams(): void {
    this.#has_streams = true
  }

  /** Says why there is no room for a call, without taking any. */
  check(at: AtOutside, call: LiveCall): Promise<Refusal | undefined> {
    return this.#take(at, call, () => {})
  }

  /** Takes room for a call that is to be dialled. A stop waits until `rings_until` for someone to answer. */
  dial(at: AtOutside, id: string, call: DialedCall): Promise<Refusal | undefined> {
    return this.#take(at, call, () => this.#dialed.set(id, call), { key: id })
  }

  /** Takes room for a call that comes in, until its stream opens. */
  admit(at: AtOutside, carrier_id: string, call: LiveCall): Promise<Refusal | undefined> {
    const admitted = { ...call, until: at.now + expect_for_ms }
    return this.#take(at, call, () => this.#admitted.set(carrier_id, admitted), { key: carrier_id })
  }

  /** Takes room for a call whose stream has opened. */
  begin(at: AtOutside, call: LiveCall, wish: Pick<Wish, 'is_on_line'>): Promise<Refusal | undefined> {
    return this.#take(at, call, () => this.add(call), wish)
  }

  /** Adds a call that this process has already. */
  add(call: LiveCall): void {
    this.#calls.add(call)
  }

  remove(call: LiveCall): void {
    this.#calls.delete(call)
    this.#noteRest()
  }

  /** Notes that someone is on the telephone, and that a stream is to open or the carrier is to ask what is next. */
  expect(id: string, now: number): void {
    const dialed = this.#dialed.get(id)
    if (dialed) dialed.rings_until = now
    for (const [other, until] of this.#expected) if (until <= now) this.#expected.delete(other)
    this.#expected.set(id, now + expect_for_ms)
  }

  get expects_any(): boolean {
    return this.#expected.size > 0
  }

  /** The stream that was expected has opened. */
  noteStream(id: string, carrier_id: string | null): void {
    this.#expected.delete(id)
    if (carrier_id !== null) this.#admitted.delete(carrier_id)
  }

  /** Whether this process has dialled the call, and keeps room for it. */
  hasDialed(id: string): boolean {
    return this.#dialed.has(id)
  }

  /** The call was not dialled, or needs no room besides that of its stream any more. */
  forgetDialed(id: string): void {
    this.#dialed.delete(id)
  }

  /** Nobody answers this call any more, and no stream follows. */
  noteOver(id: string): void {
    this.#dialed.delete(id)
    this.#expected.delete(id)
  }

  /** Notes that the call is over, which is not yet written. A process that has lost the lease can't end the call. */
  noteEnd(id: string, lease_token: string): void {
    this.#over.set(id, lease_token)
  }

  /** Whether the call is over, in the drive with this token if one is given. */
  hasEnded(id: string, lease_token?: string): boolean {
    return lease_token === undefined ? this.#over.has(id) : this.#over.get(id) === lease_token
  }

  /** The end of the call is written, or another process has the call. */
  forgetEnd(id: string): void {
    this.#over.delete(id)
  }

  /**
   * How many calls by telephone a stop waits for besides those that are driven: they ring, or a stream or a question is
   * expected.
   */
  countAwaited(now: number): number {
    if (!this.#has_streams) return 0
    const rings = Array.from(this.#dialed.values(), ({ rings_until }) => rings_until)
    return [...this.#expected.values(), ...rings].filter((until) => until > now).length
  }

  /**
   * Counts a part of a recording that waits in memory to be stored. Returns false if the parts of all calls have too
   * many bytes.
   */
  holdUnstored(bytes: number): boolean {
    if (this.#unstored_bytes + bytes > unstored_bytes_max) return false
    this.#unstored_bytes += bytes
    return true
  }

  releaseUnstored(bytes: number): void {
    this.#unstored_bytes -= bytes
  }

  get unstored_bytes(): number {
    return this.#unstored_bytes
  }

  /**
   * Makes a stop wait for work that is left after a call and takes no room, such as storing its recording. It must not
   * reject.
   */
  waitFor(work: Promise<void>): void {
    this.#unfinished.add(work)
    void work.finally(() => {
      this.#unfinished.delete(work)
      this.#noteRest()
    })
  }

  /** Whether there are no calls, and nothing is left to do. */
  get is_over(): boolean {
    return this.#calls.size === 0 && this.#unfinished.size === 0
  }

  /** Resolves when there are no calls, and nothing is left to do. */
  ended(): Promise<void> {
    return this.is_over ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve))
  }

  #noteRest(): void {
    if (!this.is_over) return
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  /**
   * Takes room for a call, besides all that have room and don't need it yet. Returns why there is none. The database is asked only when
   * none seems to be left: which calls still need theirs, and whether others have voice channels.
   */
  async #take(at: AtOutside, call: LiveCall, keep: () => void, wish: Wish = {}): Promise<Refusal | undefined> {
    const find = () => this.#findRefusal(call, { now: at.now, ...wish })
    if (find()) await this.#freeRoom(at)
    if (find() === 'reserved') await this.#readOthers(at)
    // Nothing is awaited between the check and `keep`, because others take room at the same time.
    const refusal = find()
    if (!refusal) keep()
    return refusal
  }

  #findRefusal(call: LiveCall, { now, key, is_on_line = false }: Wish & { now: number }): Refusal | undefined {
    if (this.#is_draining && !is_on_line) return 'stopping'
    for (const [id, { until }] of this.#admitted) if (until <= now) this.#admitted.delete(id)
    const kept = is_on_line ? [] : [...this.#dialed, ...this.#admitted].flatMap(([id, one]) => (id === key ? [] : one))
    const all = [...this.#calls, ...kept]
    const isOwn = ({ workspace }: LiveCall) => workspace === call.workspace
    const isOfChannel = ({ web_channel_id }: LiveCall) => web_channel_id === call.web_channel_id
    for (const { max, counts } of this.#boundsOf(call)) {
      const counted = all.filter(counts)
      const own = counted.filter(isOwn)
      const own_max = Math.min(this.#limits.live_calls_workspace_max ?? max, max)
      const channel_max = Math.max(Math.floor(own_max * channel_share), 1)
      const reserved = Math.max(Math.floor(max * reserved_share), 1)
      if (counted.length >= max) return 'full'
      if (own.length >= own_max) return 'workspace'
      if (call.web_channel_id !== null && own.filter(isOfChannel).length >= channel_max) return 'channel'
      if (counted.length >= max - reserved && all.some(isOwn) && this.#mayOthersCall(call)) return 'reserved'
    }
    return undefined
  }

  #boundsOf({ is_offline }: LiveCall): { max: number; counts: (call: LiveCall) => boolean }[] {
    const { live_calls_max } = this.#limits
    if (live_calls_max !== undefined) return [{ max: live_calls_max, counts: () => true }]
    const offline = { max: offline_max, counts: (call: LiveCall) => call.is_offline }
    return [{ max: providers_max, counts: () => true }, ...(is_offline ? [offline] : [])]
  }

  /** Whether another workspace has a voice channel. True while that is not known. */
  #mayOthersCall({ workspace }: LiveCall): boolean {
    const { ids, until_ticks } = this.#voice_workspaces
    return until_ticks <= clock.ticks() || ids.some((id) => id !== workspace)
  }

  /**
   * Frees the room of dialled calls that are over. Many calls may wait for room at the same time, and share the reads.
   */
  async #freeRoom({ db }: AtOutside): Promise<void> {
    const used = new Set(Array.from(this.#dialed.values(), ({ workspace }) => workspace))
    await Promise.all([...used].map((workspace) => this.#freeRoomOf({ db, workspace })))
  }

  /**
   * Frees the room of calls that are over. A call that a stream has taken counts where the stream is. A process without streams doesn't
   * know how much room others have, so there all that it has dialled count until they are over.
   */
  readonly #freeRoomOf = sharedRead(async ({ db, workspace }: InWorkspace) => {
    const ids = [...this.#dialed].flatMap(([id, call]) => (call.workspace === workspace ? [id] : []))
    const open = await findNotOver({ db, workspace }, { ids, counts_taken: !this.#has_streams })
    for (const id of ids) if (!open.has(id)) this.#dialed.delete(id)
  })

  async #readOthers({ db }: AtOutside): Promise<void> {
    if (this.#voice_workspaces.until_ticks > clock.ticks()) return
    const ids = await readWithVoice({ db })
    this.#voice_workspaces = { ids, until_ticks: clock.ticks() + read_every_ms }
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
