import { WebSocket } from 'ws'
import type { Wire } from '../../audio/wire.ts'
import { come_back_within_ms } from '../../calls/claim.ts'
import type { EndReason } from '../../calls/schema.ts'
import * as clock from '../../kit/clock.ts'
import { readSamples } from '../../kit/sound/wav.ts'
import type { LiveWire } from '../live-sockets.ts'
import { close_codes, type FromClient, type FromService, frameBytes, parseMessage } from './protocol.ts'

/** While this process lives, a client that has lost the connection may come back for this long. */
const away_max_ms = 10_000
/**
 * A client that answers no ping is gone. This is found before the agent gives up words that are not played: see
 * `stalls_max` of the speaker.
 */
const ping_every_ms = 2_000
const unanswered_max_ms = 5_000
/**
 * A frame that comes later than this after the one before was spoken later. One that comes sooner was only held up on
 * its way.
 */
const gap_min_ms = 1_000
/**
 * Sound that was held up on its way may come ahead of time by this much, which is longer than clients wait for a
 * connection that is stuck.
 */
const ahead_max_ms = 5_000
/** Eight seconds of sound at 16 kHz. A client that has more than this unread has no use for it. */
const unread_max_bytes = 256 * 1024
const messages_per_second_max = 100
const digits = /^[0-9*#]$/

export interface BrowserWireOptions {
  call_id: string
  sample_rate: Wire['sample_rate']
  /** The only origin from which a page may come back. Null: any origin. */
  origin: string | null
  tokens: Tokens
  /** Returns the time of the workspace. */
  now: () => number
  /**
   * Called when the client has shown that it has the next token, so that the one before is used up. Must not throw.
   */
  onTokenUsed: () => void
}

/** The hashes of a call's tokens. */
interface Tokens {
  /** The token with which the client comes back. */
  next: string
  /** The token before, which works as long as the client may not have got the next one. */
  before: string | null
}

/** The connection to a browser. The client may lose it, and come back with another socket. */
export class BrowserWire implements LiveWire {
  readonly sample_rate: Wire['sample_rate']
  onFrame: Wire['onFrame'] = () => {}
  onPlayed: Wire['onPlayed'] = () => {}
  onDigit: Wire['onDigit'] = () => {}
  onEnd: Wire['onEnd'] = () => {}
  onPause: NonNullable<Wire['onPause']> = () => {}
  readonly #options: BrowserWireOptions
  readonly #opened_ticks = clock.ticks()
  #now: () => number
  #tokens: Tokens
  #socket: WebSocket | undefined
  #away_timer: NodeJS.Timeout | undefined
  #ping_timer: NodeJS.Timeout | undefined
  #pong_ticks = clock.ticks()
  #is_over = false
  #ended_by: 'hung_up' | 'lost' | undefined
  /** When something last came from the client, by the workspace's time. */
  #seen_at: number
  /** Where the next frame is on the wire, if it follows the one before. */
  #next_ms = 0
  #must_jump = true
  /** How much was played over earlier sockets, and over this one, in ms. */
  #played = { before_ms: 0, ms: 0 }
  /** How often the sound was cleared before this socket, and in all. */
  #clears = { before: 0, all: 0 }
  #messages = { since: 0, count: 0 }

  constructor(options: BrowserWireOptions) {
    this.#options = options
    this.sample_rate = options.sample_rate
    this.#now = options.now
    this.#seen_at = options.now()
    this.#tokens = options.tokens
  }

  get call_id(): string {
    return this.#options.call_id
  }

  /** Whether the wire has ended: nobody can come back to it any more. */
  get is_over(): boolean {
    return this.#is_over
  }

  get has_ended(): boolean {
    return this.#ended_by !== undefined
  }

  get tokens(): Tokens {
    return this.#tokens
  }

  /** When the call ends if this process is killed and nobody comes back. */
  get ends_at(): number {
    return this.#seen_at + come_back_within_ms
  }

  /** Begins the talk. Times are the workspace's from then on. */
  begin(now: () => number): void {
    this.#now = now
    // The line did not exist when this happened, so it is told now.
    if (this.#ended_by) this.onEnd(this.#ended_by)
    else if (!this.#socket) this.onPause(true)
  }

  /**
   * Whether a client that sends this token may come back. A token that was used works again only while nobody is
   * connected.
   */
  accepts(token: string, { origin }: { origin: string | null }): boolean {
    if (this.#is_over || (this.#options.origin !== null && origin !== this.#options.origin)) return false
    return token === this.#tokens.next || (token === this.#tokens.before && !this.#socket)
  }

  /**
   * Uses this socket from now on, instead of the one before. `ready` has the token that the client is told, whose hash
   * is `tokens.next`.
   */
  attach(socket: WebSocket, ready: { token: string; tokens: Tokens }): void {
    const earlier = this.#socket
    this.#release()
    earlier?.close(close_codes.replaced)
    // Sound that was sent to the earlier socket is not played any more.
    if (earlier) this.onPause(true)
    this.#tokens = ready.tokens
    this.#socket = socket
    this.#must_jump = true
    this.#pong_ticks = clock.ticks()
    this.#played = { before_ms: this.#played.before_ms + this.#played.ms, ms: 0 }
    this.#clears.before = this.#clears.all
    this.#seen_at = this.#now()
    socket.on('message', this.#onMessage)
    socket.on('close', this.#onClose)
    socket.on('pong', this.#onPong)
    this.#ping_timer = setInterval(() => this.#ping(), ping_every_ms)
    if (socket.readyState !== WebSocket.OPEN) return void this.#lose()
    this.#tell({ type: 'ready', call_id: this.#options.call_id, token: ready.token })
    this.onPause(false)
  }

  send(frame: Int16Array): void {
    // The frame is copied, because the socket may send it later and the frame may be used again.
    this.#transmit(Buffer.from(new Uint8Array(frame.buffer, frame.byteOffset, frame.byteLength)))
  }

  clear(): void {
    this.#clears.all += 1
    this.#tell({ type: 'clear' })
  }

  showWords(words: { role: 'contact' | 'agent'; text: string; is_final: boolean }): void {
    this.#tell({ type: 'words', ...words })
  }

  /** Does nothing, because the line has nothing more to send. The client hears of the end by `finish`. */
  end(): void {}

  /** Tells the client that the call is over, and closes the socket. */
  finish(end_reason: EndReason): void {
    this.#tell({ type: 'ended', end_reason })
    this.close(close_codes.over)
  }

  /** Ends the wire and closes its socket: nobody can come back any more. */
  close(code: number): void {
    this.#is_over = true
    const socket = this.#socket
    this.#release()
    clearTimeout(this.#away_timer)
    socket?.close(code)
  }

  #release(): void {
    clearInterval(this.#ping_timer)
    clearTimeout(this.#away_timer)
    this.#socket?.off('message', this.#onMessage)
    this.#socket?.off('close', this.#onClose)
    this.#socket?.off('pong', this.#onPong)
    this.#socket = undefined
  }

  #lose(): void {
    this.#release()
    if (this.#is_over) return
    this.onPause(true)
    this.#away_timer = setTimeout(() => this.#endBy('lost'), away_max_ms)
  }

  #endBy(reason: 'hung_up' | 'lost'): void {
    if (this.#is_over) return
    this.#is_over = true
    this.#ended_by = reason
    this.onEnd(reason)
  }

  readonly #onClose = (): void => this.#lose()

  readonly #onPong = (): void => {
    this.#pong_ticks = clock.ticks()
  }

  #ping(): void {
    if (clock.ticks() - this.#pong_ticks > unanswered_max_ms) return void this.#socket?.terminate()
    this.#socket?.ping()
  }

  readonly #onMessage = (data: Buffer, is_binary: boolean): void => {
    this.#seen_at = this.#now()
    if (this.#tokens.before !== null) {
      this.#tokens = { ...this.#tokens, before: null }
      this.#options.onTokenUsed()
    }
    if (is_binary) return void this.#takeFrame(data)
    const message = parseMessage(data)
    if (!message || message.type === 'start')
      return void this.#refuse('invalid_message', 'This is no message of a call.')
    if (this.#isTooMany()) return void this.#refuse('too_fast', 'Messages come too fast.')
    this.#take(message)
  }

  #take(message: Exclude<FromClient, { type: 'start' }>): void {
    if (message.type === 'end') return void this.#endBy('hung_up')
    if (message.type === 'digit') {
      if (digits.test(message.digit)) this.onDigit(message.digit)
      return
    }
    // The figure only grows, because sound that was played stays played, and reports may come late.
    this.#played.ms = Math.max(this.#played.ms, message.ms)
    const { before, all } = this.#clears
    const clears = message.clears === undefined ? undefined : Math.min(before + message.clears, all)
    this.onPlayed(this.#played.before_ms + this.#played.ms, clears)
  }

  /**
   * Takes a frame. Sound that is spoken without a pause is contiguous, whenever it arrives: its own clock is the
   * client's.
   */
  #takeFrame(data: Buffer): void {
    if (data.length !== frameBytes(this.sample_rate))
      return void this.#refuse('invalid_frame', 'A frame must have 20 ms of PCM16 sound.')
    const arrived_ms = clock.ticks() - this.#opened_ticks
    if (this.#must_jump || arrived_ms - this.#next_ms > gap_min_ms)
      this.#next_ms = Math.max(this.#next_ms, Math.round(arrived_ms))
    if (this.#next_ms > arrived_ms + ahead_max_ms)
      return void this.#refuse('too_fast', 'Sound comes faster than it is spoken.')
    this.#must_jump = false
    const at_ms = this.#next_ms
    this.#next_ms += 20
    this.onFrame(readSamples(data), at_ms)
  }

  #isTooMany(): boolean {
    const now = clock.ticks()
    if (now - this.#messages.since > 1_000) this.#messages = { since: now, count: 0 }
    this.#messages.count += 1
    return this.#messages.count > messages_per_second_max
  }

  #refuse(code: string, message: string): void {
    this.#tell({ type: 'error', code, message })
    this.#socket?.close(close_codes.invalid)
    this.#lose()
  }

  #tell(message: FromService): void {
    this.#transmit(JSON.stringify(message))
  }

  #transmit(data: string | Buffer): void {
    const socket = this.#socket
    if (socket?.readyState !== WebSocket.OPEN) return
    if (socket.bufferedAmount > unread_max_bytes) return void socket.terminate()
    socket.send(data)
  }
}
