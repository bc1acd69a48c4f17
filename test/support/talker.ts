import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { loud_above, openRoom } from './sounds.ts'
import { openTape, type Tape } from './tape.ts'

/**
 * A person at the socket of a call: streams a microphone in real time, plays what comes in real time, and reports what was
 * played. All times are in milliseconds since the first `ready`. Frames are sent when they are due, however late a timer is,
 * so that several people in a process keep time.
 */
export interface Talker {
  readonly call_id: string
  readonly sample_rate: number
  /** What the microphone has sent. Silence stands for what was lost while the socket was away. */
  readonly spoken: Tape
  /** What was played, with the silence between. */
  readonly played: Tape
  /** When sound that was sent here was played without a break. */
  readonly stretches: readonly Stretch[]
  readonly clears: readonly number[]
  readonly words: readonly Words[]
  /** How often the socket was opened. */
  readonly connections: number
  readonly is_connected: boolean
  readonly is_over: boolean
  now: () => number
  /**
   * Speaks after what is being said. The sound has the talker's sample rate. Resolves when the last of it was sent, with the
   * time of the last that can be heard.
   */
  say: (sound: Int16Array) => Promise<Stretch>
  press: (digits: string) => void
  /** Resolves when the call has ended. */
  hangUp: () => Promise<Ended>
  /** Breaks the socket, as a network that is lost. */
  cut: () => void
  /** Opens a socket with the token of the last `ready`. Resolves when it is ready, or the call is over. */
  comeBack: () => Promise<void>
  /** Waits until it is true. Rejects when the call ends before, or after `timeout_ms`. */
  until: (description: string, isTrue: () => boolean, timeout_ms?: number) => Promise<void>
  /** Waits until the agent is heard at or after this time, and returns when that was. */
  untilHeard: (since_ms: number) => Promise<number>
  /** Waits until the agent begins a reply with these words after this time, and returns when its sound began. */
  untilBegun: (text: string, since_ms: number) => Promise<number>
  /** Whether the agent was heard after this time and then was quiet for a while. */
  isQuiet: (since_ms: number, quiet_ms?: number) => boolean
  /** Waits until `isQuiet`. */
  untilQuiet: (since_ms: number, quiet_ms?: number) => Promise<void>
  readonly ended: Promise<Ended>
  /** Breaks the socket and stops all timers. */
  close: () => void
}

export interface Stretch {
  start_ms: number
  end_ms: number
}

export interface Words {
  role: 'contact' | 'agent'
  text: string
  is_final: boolean
  at_ms: number
}

export interface Ended {
  /** Undefined if the socket was closed without a reason for the end of the call. */
  end_reason: string | undefined
  /** The close code of the socket. */
  code: number | undefined
}

export interface TalkerOptions {
  url: string
  token: string
  sample_rate?: 8_000 | 16_000
  /** How much quieter than speech the noise at the microphone is, all the time. None by default. */
  noise_db?: number
  random?: () => number
  /** Comes back by itself when the socket is lost. */
  comes_back?: boolean
}

type Message =
  | { type: 'ready'; call_id: string; token: string }
  | { type: 'clear' }
  | ({ type: 'words' } & Omit<Words, 'at_ms'>)
  | { type: 'ended'; end_reason: string }
  | { type: 'error'; code: string; message: string }

const frame_ms = 20
const report_every_ms = 100
const quiet_by_default_ms = 700
const wait_by_default_ms = 30_000
/** Longer than a server takes to start again. */
const come_back_within_ms = 60_000
const try_again_ms = 250
/** Close codes: a token that is used, late or wrong; and a socket that was closed on purpose. */
const refused = 4401
const closed = [1_000, 1_005]

interface Saying {
  sound: Int16Array
  position: number
  start_ms: number
  done: (stretch: Stretch) => void
}

interface Waiting {
  isTrue: () => boolean
  deadline_ms: number
  resolve: () => void
  reject: (reason?: Error) => void
}

/** Opens the socket. Resolves when the call is ready, and rejects if it is refused. */
export async function openTalker(options: TalkerOptions): Promise<Talker> {
  const { url, sample_rate = 16_000, noise_db, random = Math.random, comes_back = false } = options
  const per_ms = sample_rate / 1_000
  const frame_samples = frame_ms * per_ms
  const room = noise_db === undefined ? undefined : openRoom({ noise_db, random })
  const [spoken, played] = [openTape(sample_rate), openTape(sample_rate)]
  const stretches: Stretch[] = []
  const clears: number[] = []
  const words: Words[] = []
  const sayings: Saying[] = []
  const waiting = new Set<Waiting>()
  const ended = Promise.withResolvers<Ended>()
  /** What was received and not yet played. */
  let buffer: Int16Array[] = []
  let began_at = 0
  let socket: WebSocket | undefined
  let token = options.token
  let call_id = ''
  let connections = 0
  let played_since_ready = 0
  let clears_since_ready = 0
  let reported = 0
  let report_at_ms = 0
  let is_over = false
  /** By this side. */
  let is_cut = false
  let timer: NodeJS.Timeout | undefined

  const now = () => performance.now() - began_at
  const send = (message: object) => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message))
  }

  function finish(code: number | undefined, end_reason?: string): void {
    if (is_over) return
    is_over = true
    clearTimeout(timer)
    if (connections > 0) play()
    socket?.terminate()
    for (const one of waiting) one.reject(new Error(`${call_id} ended: ${end_reason ?? code}`))
    waiting.clear()
    for (const { start_ms, done } of sayings.splice(0)) done({ start_ms, end_ms: now() })
    ended.resolve({ end_reason, code })
  }

  /** Plays what is due until now. */
  function play(): void {
    let due = Math.floor(now() * per_ms) - played.length
    const start_ms = played.length / per_ms
    let taken = 0
    while (due > 0 && buffer[0]) {
      const piece = buffer[0].subarray(0, due)
      played.add(piece)
      taken += piece.length
      due -= piece.length
      if (piece.length === buffer[0].length) buffer.shift()
      else buffer[0] = buffer[0].subarray(piece.length)
    }
    if (taken > 0) {
      played_since_ready += taken
      const last = stretches.at(-1)
      const end_ms = start_ms + taken / per_ms
      if (last?.end_ms === start_ms) last.end_ms = end_ms
      else stretches.push({ start_ms, end_ms })
    }
    if (due > 0) played.addSilence(due)
  }

  /** The next frame of the microphone. */
  function hear(): Int16Array {
    const frame = new Int16Array(frame_samples)
    const start_ms = spoken.length / per_ms
    let filled = 0
    while (filled < frame.length && sayings[0]) {
      const [saying] = sayings
      if (saying.position === 0) saying.start_ms = start_ms + filled / per_ms
      const piece = saying.sound.subarray(saying.position, saying.position + frame.length - filled)
      frame.set(piece, filled)
      filled += piece.length
      saying.position += piece.length
      if (saying.position < saying.sound.length) break
      sayings.shift()
      const last = saying.sound.findLastIndex((sample) => Math.abs(sample) > loud_above)
      saying.done({ start_ms: saying.start_ms, end_ms: saying.start_ms + (last + 1) / per_ms })
    }
    return room ? room(frame) : frame
  }

  function tick(): void {
    while ((spoken.length + frame_samples) / per_ms <= now()) {
      const frame = hear()
      if (socket?.readyState === WebSocket.OPEN && connections > 0) {
        socket.send(frame)
        spoken.add(frame)
      } else spoken.addSilence(frame.length)
    }
    play()
    report()
    check()
    if (!is_over) timer = setTimeout(tick, Math.max(1, (spoken.length + frame_samples) / per_ms - now()))
  }

  /** At the end of what was sent at once too, so that the service knows that all of it was played. */
  function report(): void {
    if (played_since_ready !== reported && (now() >= report_at_ms || buffer.length === 0)) sendReport()
  }

  function sendReport(): void {
    reported = played_since_ready
    report_at_ms = now() + report_every_ms
    send({ type: 'played', ms: Math.floor(played_since_ready / per_ms), clears: clears_since_ready })
  }

  function check(): void {
    for (const one of waiting) {
      if (one.isTrue()) one.resolve()
      else if (now() > one.deadline_ms) one.reject()
      else continue
      waiting.delete(one)
    }
  }

  function onMessage(message: Message): void {
    if (message.type === 'clear') {
      play()
      buffer = []
      clears.push(now())
      clears_since_ready += 1
      sendReport()
    } else if (message.type === 'words') {
      const { role, text, is_final } = message
      words.push({ role, text, is_final, at_ms: now() })
    } else if (message.type === 'ended') {
      // What was sent before is still played.
      const left_ms = buffer.reduce((sum, { length }) => sum + length, 0) / per_ms
      setTimeout(() => finish(undefined, message.end_reason), left_ms)
    }
  }

  /** Resolves with whether it is ready: if not, it can be tried again. Rejects if the token is refused. */
  function connect(): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    const opened = new WebSocket(url, { perMessageDeflate: false })
    socket = opened
    let is_ready = false
    opened.on('open', () => opened.send(JSON.stringify({ type: 'start', token, sample_rate })))
    opened.on('message', (bytes: Buffer, is_binary: boolean) => {
      if (is_over || opened !== socket) return
      if (is_binary) {
        play()
        buffer.push(toSamples(bytes))
        return
      }
      // It is what the service sends; `parse` has made it.
      const message = JSON.parse(bytes.toString()) as Message
      if (message.type !== 'ready') return onMessage(message)
      is_ready = true
      token = message.token
      call_id = message.call_id
      if (connections === 0) began_at = performance.now()
      connections += 1
      ;[buffer, played_since_ready, reported, clears_since_ready] = [[], 0, 0, 0]
      if (connections === 1) tick()
      resolve(true)
    })
    // `close` follows.
    opened.on('error', () => {})
    opened.on('close', (code) => {
      if (opened !== socket) return
      if (code === refused) reject(new Error('the token was refused'))
      else resolve(false)
      if (code === refused || (is_ready && closed.includes(code))) finish(code)
      else if (is_ready && comes_back && !is_over) void comeBack()
      else if (is_ready && !is_cut) finish(code)
    })
    return promise
  }

  async function comeBack(): Promise<void> {
    is_cut = false
    const give_up_at = performance.now() + come_back_within_ms
    while (!is_over && performance.now() < give_up_at) {
      const is_ready = await connect().catch(() => false)
      if (is_ready || is_over) return
      await sleep(try_again_ms)
    }
    finish(undefined)
  }

  /** What was said last, and when. */
  const describe = () => {
    const heard = words.slice(-5).map(({ role, text, at_ms }) => `${Math.round(at_ms)} ${role} "${text}"`)
    return `At ${Math.round(now())} ms, heard last at ${Math.round(played.last_sound_ms ?? -1)}: ${heard.join(', ')}`
  }

  const until: Talker['until'] = (description, isTrue, timeout_ms = wait_by_default_ms) => {
    if (isTrue()) return Promise.resolve()
    if (is_over) return Promise.reject(new Error(`the call ended before ${description}`))
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const fail: Waiting['reject'] = (reason) =>
      reject(reason ?? new Error(`${call_id}: not within ${timeout_ms} ms: ${description}. ${describe()}`))
    waiting.add({ isTrue, deadline_ms: now() + timeout_ms, resolve, reject: fail })
    return promise
  }

  const isQuiet: Talker['isQuiet'] = (since_ms, quiet_ms = quiet_by_default_ms) => {
    const { last_sound_ms = -1 } = played
    return last_sound_ms >= since_ms && buffer.length === 0 && now() - last_sound_ms >= quiet_ms
  }

  const talker: Talker = {
    get call_id() {
      return call_id
    },
    get connections() {
      return connections
    },
    get is_connected() {
      return socket?.readyState === WebSocket.OPEN
    },
    get is_over() {
      return is_over
    },
    sample_rate,
    spoken,
    played,
    stretches,
    clears,
    words,
    now,
    say(sound) {
      const { promise, resolve } = Promise.withResolvers<Stretch>()
      if (is_over) resolve({ start_ms: now(), end_ms: now() })
      else sayings.push({ sound, position: 0, start_ms: 0, done: resolve })
      return promise
    },
    press(digits) {
      for (const digit of digits) send({ type: 'digit', digit })
    },
    hangUp() {
      send({ type: 'end' })
      return ended.promise
    },
    cut() {
      is_cut = true
      socket?.terminate()
    },
    comeBack,
    until,
    async untilHeard(since_ms) {
      await until('the agent is heard', () => (played.last_sound_ms ?? -1) >= since_ms)
      return played.findSound(since_ms) ?? since_ms
    },
    async untilBegun(text, since_ms) {
      const find = () =>
        words.find((one) => one.role === 'agent' && one.at_ms >= since_ms && one.text.startsWith(text.slice(0, 20)))
      await until(`the agent says "${text}"`, () => find() !== undefined)
      // Words are shown when the service knows that they are played.
      const shown_ms = find()?.at_ms ?? 0
      return stretches.findLast(({ start_ms }) => start_ms <= shown_ms)?.start_ms ?? shown_ms
    },
    isQuiet,
    untilQuiet: (since_ms, quiet_ms) => until('the agent is quiet', () => isQuiet(since_ms, quiet_ms)),
    ended: ended.promise,
    close: () => finish(undefined),
  }
  // A process that is full may have room a moment later.
  for (let tries = 0; ; tries += 1) {
    if (await connect()) return talker
    if (tries === 10) throw new Error('the socket was closed before the call was ready')
    await sleep(try_again_ms)
  }
}

/** `ws` hands out bytes at odd offsets. */
function toSamples(bytes: Buffer): Int16Array {
  const copy = new Uint8Array(bytes.length & ~1)
  copy.set(bytes.subarray(0, copy.length))
  return new Int16Array(copy.buffer)
}
