import { WebSocket } from 'ws'
import type { Wire } from '../../audio/wire.ts'
import { come_back_within_ms } from '../../calls/claim.ts'
import type { EndReason } from '../../calls/schema.ts'
import * as clock from '../../kit/clock.ts'
import { fromMulaw, toMulaw } from '../../kit/sound/mulaw.ts'
import type { LiveWire } from '../live-sockets.ts'
import { closing, type FromTwilio, parseMessage, type ToTwilio } from './stream.ts'
import { type After, dial_seconds } from './twiml.ts'

const samples_per_ms = 8
/** How long the wire waits for another stream. Twilio comes back at once when one breaks. */
const away_max_ms = 10_000
/**
 * This is longer than the number that is to take over rings. After that Twilio has asked what is next, unless someone
 * has taken over.
 */
const transfer_max_ms = (dial_seconds + 15) * 1_000
/** How long it takes to press one digit, with the pause before it. */
const digit_ms = 1_000
const digits_max = 50
/**
 * A stream without messages for this long is broken, because Twilio sends sound all the time. This is found before the
 * agent gives up words that are not played.
 */
const silent_max_ms = 6_000
const check_every_ms = 1_000
/** A mark follows after this much sound, or after `mark_after_ms` without more sound. */
const mark_every_samples = 200 * samples_per_ms
const mark_after_ms = 100
/** A mark that comes back later than this shows that nothing is played. */
const overdue_ms = 1_000
/** A smaller gap is no gap, but the rounding of times. */
const gap_min_ms = 20
/** A frame of sound without times that comes later than this after the one before was spoken later. */
const late_max_ms = 1_000
/** Sound that was held up on its way may come ahead of time by this much. */
const ahead_max_ms = 5_000
const frame_bytes_max = 200 * samples_per_ms
/** Eight seconds of sound, in Base64 and JSON, may be unread. */
const unread_max_bytes = 256 * 1024
const messages_per_second_max = 100
/** Twilio waits this long for what is next while the end of a call can't be written. */
const finish_max_ms = 3_000
/** How long the wire waits for a stream when it is unknown whether Twilio has done what was asked. */
const unknown_max_ms = 5_000

/** What Twilio does with the call instead of streaming. */
export type Detour = { type: 'digits'; digits: string } | { type: 'transfer'; to: string } | { type: 'hang_up' }

/** Whether Twilio does what it was asked for. */
type Answer = 'done' | 'refused' | 'unknown'

export interface TwilioWireOptions {
  /** Returns the time of the workspace. */
  now: () => number
  /** Asks Twilio to do something with the call. Never rejects. */
  update: (detour: Detour) => Promise<Answer>
}

interface AskedDetour {
  type: Detour['type']
  away_max_ms: number
  /** Twilio's answer. Undefined until it has come. */
  answer: Answer | undefined
  is_stopped: boolean
}

export interface Stream {
  sid: string
  /** What Twilio has done before this stream. */
  after: After | undefined
  /** The messages since the stream began, except sound. */
  messages: FromTwilio[]
}

/** The stream of a telephone call. Twilio ends it for digits and transfers, or it breaks, and another one follows. */
export class TwilioWire implements LiveWire {
  readonly sample_rate = 8_000
  onFrame: Wire['onFrame'] = () => {}
  onPlayed: Wire['onPlayed'] = () => {}
  onDigit: Wire['onDigit'] = () => {}
  onEnd: Wire['onEnd'] = () => {}
  onPause: NonNullable<Wire['onPause']> = () => {}
  onTransferred: NonNullable<Wire['onTransferred']> = () => {}
  readonly #options: TwilioWireOptions
  readonly #opened_ticks = clock.ticks()
  #now: () => number
  #socket: WebSocket | undefined
  #stream_sid = ''
  #away_timer: NodeJS.Timeout | undefined
  #check_timer: NodeJS.Timeout | undefined
  #finish_timer: NodeJS.Timeout | undefined
  #mark_timer: NodeJS.Timeout | undefined
  #is_over = false
  #is_finished = false
  #ended_by: 'hung_up' | 'lost' | undefined
  /** When something last came, by the workspace's time and by the process's. */
  #seen_at: number
  #seen_ticks = clock.ticks()
  #away_until: number | undefined
  /** What ends the stream, if Twilio was asked for something. */
  #detour: AskedDetour | undefined
  #to_press = ''
  /** The messages until the talk begins, except sound. Undefined from then on. */
  #waiting: FromTwilio[] | undefined = []
  /**
   * Where the next frame is on the wire, if it follows the one before. `#stream_ms` is where the stream's own time
   * begins.
   */
  #next_ms = 0
  #stream_ms = 0
  #is_first_frame = true
  /** Samples since the wire opened. Sound that was cleared before it was played counts in neither figure. */
  #sent = 0
  #played = 0
  #unmarked = 0
  #marks: { name: string; end: number }[] = []
  #mark_count = 0
  /** The last sample that was heard, and when, by the last mark that came back. */
  #playing = { from: 0, since: 0 }
  #messages = { since: 0, count: 0 }

  constructor(options: TwilioWireOptions) {
    this.#options = options
    this.#now = options.now
    this.#seen_at = options.now()
  }

  get is_over(): boolean {
    return this.#is_over
  }

  get has_ended(): boolean {
    return this.#ended_by !== undefined
  }

  /** When the call ends if this process is killed and no stream comes back. */
  get ends_at(): number {
    return Math.max(this.#seen_at, this.#away_until ?? 0) + come_back_within_ms
  }

  /** Begins the talk. Times are the workspace's from then on. */
  begin(now: () => number): void {
    this.#now = now
    // These messages came before the line could take them.
    const waiting = this.#waiting ?? []
    this.#waiting = undefined
    if (!this.#socket && !this.#is_over) this.onPause(true)
    for (const message of waiting) this.#take(message)
    if (this.#ended_by) this.onEnd(this.#ended_by)
  }

  /** Uses this stream from now on, instead of the one before. */
  attach(socket: WebSocket, { sid, after, messages }: Stream): void {
    if (this.#is_over) return void socket.close(closing.over)
    const earlier = this.#socket
    this.#release()
    earlier?.close(closing.over)
    if (earlier) this.onPause(true)
    this.#socket = socket
    this.#stream_sid = sid
    this.#away_until = undefined
    this.#is_first_frame = true
    this.#messages = { since: 0, count: 0 }
    this.#noteSeen()
    socket.on('message', this.#onMessage)
    socket.on('close', this.#onClose)
    this.#check_timer = setInterval(() => this.#check(), check_every_ms)
    const detour = this.#detour
    // A detour that is still being asked for, and was not done before this stream, ends this stream, too.
    const is_done = !detour || detour.answer !== undefined || detour.type === after
    if (is_done) this.#detour = undefined
    this.onPause(false)
    for (const message of messages) this.#take(message)
    if (this.#socket !== socket) return
    if (socket.readyState !== WebSocket.OPEN) return void this.#lose()
    if (after === 'transfer' || (detour?.type === 'transfer' && is_done)) this.onTransferred(false)
    this.#pressNext()
  }

  send(frame: Int16Array): void {
    if (!this.#socket) return
    if (this.#sent === this.#played) this.#playing = { from: this.#sent, since: clock.ticks() }
    const payload = Buffer.from(Uint8Array.from(frame, toMulaw)).toString('base64')
    this.#tell({ event: 'media', streamSid: this.#stream_sid, media: { payload } })
    this.#sent += frame.length
    this.#unmarked += frame.length
    if (this.#unmarked >= mark_every_samples) this.#mark()
    else this.#mark_timer ??= setTimeout(() => this.#mark(), mark_after_ms)
  }

  /**
   * Drops the sound that was sent and not played. Twilio sends back the marks of what it drops, but they are forgotten
   * here.
   */
  clear(): void {
    if (this.#sent === this.#played) return
    this.#tell({ event: 'clear', streamSid: this.#stream_sid })
    const cut = this.#estimatePlayed()
    this.#marks = []
    this.#unmarked = 0
    this.#stopMarkTimer()
    this.#sent = cut
    this.#played = cut
    this.onPlayed(cut / samples_per_ms)
  }

  /**
   * Estimates which sample is heard now, by the last mark and the time since. It is never beyond the mark that is to
   * come back next.
   */
  #estimatePlayed(): number {
    const { from, since } = this.#playing
    const next = this.#marks[0]?.end ?? this.#sent
    const passed = Math.round((clock.ticks() - since) * samples_per_ms)
    if (passed > next - from + overdue_ms * samples_per_ms) return this.#played
    return Math.min(next, from + passed)
  }

  press(digits: string): void {
    if (this.#is_over) return
    this.#to_press = (this.#to_press + digits.replaceAll(/[^0-9*#]/g, '')).slice(0, digits_max)
    this.#pressNext()
  }

  #pressNext(): void {
    if (this.#to_press === '' || this.#detour || !this.#socket || this.#is_over) return
    const digits = this.#to_press
    this.#to_press = ''
    this.#ask({ type: 'digits', digits }, away_max_ms + digits.length * digit_ms)
  }

  transfer(to: string): void {
    if (this.#is_over) return
    if (to === '') return void this.onTransferred(false)
    this.#ask({ type: 'transfer', to }, transfer_max_ms)
  }

  #ask(wanted: Detour, away_max_ms: number): void {
    const detour: AskedDetour = { type: wanted.type, away_max_ms, answer: undefined, is_stopped: false }
    this.#detour = detour
    void this.#options.update(wanted).then((answer) => {
      detour.answer = answer
      if (answer === 'done') return
      // Twilio has ended the stream for another reason: the contact has hung up.
      if (answer === 'refused' && detour.is_stopped && this.#detour === detour) return this.#endBy('hung_up')
      setTimeout(() => this.#giveUp(detour), answer === 'unknown' ? unknown_max_ms : 0)
    })
  }

  /** Gives a detour up if the stream still goes on, because Twilio has not done it. */
  #giveUp(detour: { type: Detour['type'] }): void {
    if (this.#detour !== detour || !this.#socket || this.#is_over) return
    this.#detour = undefined
    if (detour.type === 'transfer') this.onTransferred(false)
    this.#pressNext()
  }

  /** Does nothing, because the line has nothing more to send. */
  end(): void {}

  /**
   * Notes that the call is over. The stream ends when that is written: then Twilio asks what is next, and is told to
   * hang up. During a transfer the contact may talk to someone else, and the report of that may be late or lost: only
   * the wish of a person to hang up ends that.
   */
  finish(end_reason: EndReason): void {
    this.#is_over = true
    this.#is_finished = true
    this.#stopTimers()
    const is_gone = end_reason === 'transferred' || end_reason === 'contact_hung_up'
    const must_hang_up = this.#detour?.type === 'transfer' ? end_reason === 'human_hung_up' : this.#detour && !is_gone
    if (this.#socket) this.#finish_timer = setTimeout(() => this.close(closing.over), finish_max_ms)
    else if (must_hang_up) void this.#options.update({ type: 'hang_up' })
  }

  close(code: number): void {
    this.#is_over = true
    const socket = this.#socket
    this.#release()
    clearTimeout(this.#finish_timer)
    socket?.close(this.#is_finished ? closing.over : code)
  }

  #release(): void {
    this.#stopTimers()
    this.#socket?.off('message', this.#onMessage)
    this.#socket?.off('close', this.#onClose)
    this.#socket = undefined
  }

  #stopTimers(): void {
    clearInterval(this.#check_timer)
    clearTimeout(this.#away_timer)
    this.#stopMarkTimer()
  }

  #stopMarkTimer(): void {
    clearTimeout(this.#mark_timer)
    this.#mark_timer = undefined
  }

  /** Releases a stream that has ended. Another one may follow. */
  #lose(): void {
    const socket = this.#socket
    this.#release()
    socket?.close(closing.over)
    if (this.#is_over) return
    const away_ms = this.#detour?.away_max_ms ?? away_max_ms
    if (this.#detour) this.#away_until = this.#now() + away_ms
    this.onPause(true)
    this.#away_timer = setTimeout(() => this.#giveUpWaiting(), away_ms)
  }

  /** Ends the wire when no stream has followed. After a transfer, the two others talk. */
  #giveUpWaiting(): void {
    if (this.#detour?.type === 'transfer' && this.#detour.answer === 'done') this.onTransferred(true)
    this.#endBy('lost')
  }

  #endBy(reason: 'hung_up' | 'lost'): void {
    if (this.#is_over) return
    this.#is_over = true
    this.#ended_by = reason
    // The line doesn't exist before `begin`, which reports the end then.
    if (!this.#waiting) this.onEnd(reason)
  }

  readonly #onClose = (): void => this.#lose()

  /** Ends a connection on which nothing comes, because it is broken. */
  #check(): void {
    if (clock.ticks() - this.#seen_ticks > silent_max_ms) this.#socket?.terminate()
  }

  #noteSeen(): void {
    this.#seen_at = this.#now()
    this.#seen_ticks = clock.ticks()
  }

  readonly #onMessage = (data: Buffer, is_binary: boolean): void => {
    this.#noteSeen()
    const message = is_binary ? undefined : parseMessage(data)
    if (!message) return void this.#refuse()
    this.#take(message)
  }

  #take(message: FromTwilio): void {
    if (this.#is_over) return
    if (message.event === 'media') return void this.#takeFrame(message.media)
    if (this.#isTooMany()) return void this.#refuse()
    if (this.#waiting && message.event !== 'stop') return void this.#waiting.push(message)
    if (message.event === 'dtmf') this.onDigit(message.digit)
    else if (message.event === 'mark') this.#takeMark(message.name)
    // Twilio sends `stop` when the contact has hung up, and when it does something else with the call.
    else if (message.event === 'stop' && this.#detour) {
      this.#detour.is_stopped = true
      this.#lose()
    } else if (message.event === 'stop') this.#endBy('hung_up')
  }

  /** Takes a frame, which has its place by the stream's own time, whenever it arrives. */
  #takeFrame({ bytes, timestamp }: { bytes: Buffer; timestamp: number | undefined }): void {
    if (bytes.length === 0 || bytes.length > frame_bytes_max) return void this.#refuse()
    const arrived_ms = clock.ticks() - this.#opened_ticks
    if (this.#is_first_frame) this.#next_ms = Math.max(this.#next_ms, Math.round(arrived_ms))
    if (timestamp !== undefined) {
      if (this.#is_first_frame) this.#stream_ms = this.#next_ms - timestamp
      const at_ms = this.#stream_ms + timestamp
      if (at_ms - this.#next_ms > gap_min_ms) this.#next_ms = at_ms
    } else if (arrived_ms - this.#next_ms > late_max_ms) this.#next_ms = Math.round(arrived_ms)
    this.#is_first_frame = false
    if (this.#next_ms > arrived_ms + ahead_max_ms) return void this.#refuse()
    const at_ms = this.#next_ms
    this.#next_ms += bytes.length / samples_per_ms
    this.onFrame(Int16Array.from(bytes, fromMulaw), at_ms)
  }

  #mark(): void {
    this.#stopMarkTimer()
    this.#unmarked = 0
    this.#mark_count += 1
    const name = String(this.#mark_count)
    this.#marks.push({ name, end: this.#sent })
    this.#tell({ event: 'mark', streamSid: this.#stream_sid, mark: { name } })
  }

  #takeMark(name: string): void {
    const index = this.#marks.findIndex((mark) => mark.name === name)
    const mark = this.#marks[index]
    if (!mark) return
    this.#marks = this.#marks.slice(index + 1)
    this.#played = mark.end
    this.#playing = { from: mark.end, since: clock.ticks() }
    this.onPlayed(mark.end / samples_per_ms)
  }

  #isTooMany(): boolean {
    const now = clock.ticks()
    if (now - this.#messages.since > 1_000) this.#messages = { since: now, count: 0 }
    this.#messages.count += 1
    return this.#messages.count > messages_per_second_max
  }

  #refuse(): void {
    this.#socket?.close(closing.invalid)
    this.#lose()
  }

  #tell(message: ToTwilio): void {
    const socket = this.#socket
    if (socket?.readyState !== WebSocket.OPEN) return
    if (socket.bufferedAmount > unread_max_bytes) return void socket.terminate()
    socket.send(JSON.stringify(message))
  }
}
