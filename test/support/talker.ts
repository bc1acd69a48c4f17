import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { openPerson, type Person } from './person.ts'

/** A person at the socket of a browser's call, who reports what was played. All times are in milliseconds since the first `ready`. */
export interface Talker extends Person {
  readonly call_id: string
  readonly words: readonly Words[]
  /** How often the socket was opened. */
  readonly connections: number
  readonly is_connected: boolean
  press: (digits: string) => void
  /** Resolves when the call has ended. */
  hangUp: () => Promise<Ended>
  /** Breaks the socket, as a network that is lost. */
  cut: () => void
  /** Opens a socket with the token of the last `ready`. Resolves when it is ready, or the call is over. */
  comeBack: () => Promise<void>
  /** Waits until the agent begins a reply with these words after this time, and returns when its sound began. */
  untilBegun: (text: string, since_ms: number) => Promise<number>
  readonly ended: Promise<Ended>
  /** Breaks the socket and stops all timers. */
  close: () => void
}

interface Words {
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

const report_every_ms = 100
/** A server takes less time than this to start again. */
const come_back_within_ms = 60_000
const try_again_ms = 250
/** Close codes: a token that is used, late or wrong; and a socket that was closed on purpose. */
const refused = 4401
const closed = [1_000, 1_005]

/** Opens the socket. Resolves when the call is ready, and rejects if it is refused. */
export async function openTalker(options: TalkerOptions): Promise<Talker> {
  const { url, sample_rate = 16_000, noise_db, random, comes_back = false } = options
  const per_ms = sample_rate / 1_000
  const words: Words[] = []
  const ended = Promise.withResolvers<Ended>()
  let socket: WebSocket | undefined
  let token = options.token
  let call_id = ''
  /** The service says the reason before it closes the socket. */
  let end_reason: string | undefined
  let connections = 0
  /** What the person had heard when the socket was ready, how often it was cleared since, and what was reported. */
  let heard_before = 0
  let clears_since_ready = 0
  let reported = 0
  let report_at_ms = 0
  /** Whether this side has cut the socket. */
  let is_cut = false

  const person = openPerson({
    sample_rate,
    noise_db,
    random,
    sendFrame: (frame) => {
      if (socket?.readyState !== WebSocket.OPEN) return false
      socket.send(frame)
      return true
    },
    onFrame: report,
    name: () => call_id,
    describe: () =>
      words
        .slice(-5)
        .map(({ role, text, at_ms }) => `${Math.round(at_ms)} ${role} "${text}"`)
        .join(', '),
  })
  const { spoken, played, stretches, clears, now, until } = person
  const send = (message: object) => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message))
  }

  function finish(code?: number): void {
    if (person.is_over) return
    person.end(`${end_reason ?? code}`)
    socket?.terminate()
    ended.resolve({ end_reason, code })
  }

  /**
   * Reports from time to time, and at once at the end of what was sent, so that the service knows that all of it was
   * played.
   */
  function report(): void {
    const heard = person.heard_samples - heard_before
    if (heard !== reported && (now() >= report_at_ms || person.waiting_samples === 0)) sendReport()
  }

  function sendReport(): void {
    reported = person.heard_samples - heard_before
    report_at_ms = now() + report_every_ms
    send({ type: 'played', ms: Math.floor(reported / per_ms), clears: clears_since_ready })
  }

  function onMessage(message: Message): void {
    if (message.type === 'clear') {
      person.clear()
      clears_since_ready += 1
      sendReport()
    } else if (message.type === 'words') {
      const { role, text, is_final } = message
      words.push({ role, text, is_final, at_ms: now() })
    } else if (message.type === 'ended') {
      // Sound that was sent before is still played.
      end_reason = message.end_reason
      setTimeout(finish, person.waiting_samples / per_ms)
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
      if (person.is_over || opened !== socket) return
      if (is_binary) return person.receive(toSamples(bytes))
      // The service sends messages of this type, and `parse` has made one.
      const message = JSON.parse(bytes.toString()) as Message
      if (message.type !== 'ready') return onMessage(message)
      is_ready = true
      token = message.token
      call_id = message.call_id
      connections += 1
      if (connections === 1) person.begin()
      person.drop()
      heard_before = person.heard_samples
      clears_since_ready = 0
      reported = 0
      resolve(true)
    })
    // `close` follows.
    opened.on('error', () => {})
    opened.on('close', (code) => {
      if (opened !== socket) return
      if (code === refused) reject(new Error('the token was refused'))
      else resolve(false)
      if (end_reason !== undefined) return
      if (code === refused || (is_ready && closed.includes(code))) finish(code)
      else if (is_ready && comes_back && !person.is_over) void comeBack()
      else if (is_ready && !is_cut) finish(code)
    })
    return promise
  }

  async function comeBack(): Promise<void> {
    is_cut = false
    const give_up_at = performance.now() + come_back_within_ms
    while (!person.is_over && performance.now() < give_up_at) {
      const is_ready = await connect().catch(() => false)
      if (is_ready || person.is_over) return
      await sleep(try_again_ms)
    }
    finish()
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
      return person.is_over
    },
    sample_rate,
    spoken,
    played,
    stretches,
    clears,
    words,
    now,
    say: person.say,
    listen: person.listen,
    findGaps: person.findGaps,
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
    untilHeard: person.untilHeard,
    async untilBegun(text, since_ms) {
      const find = () =>
        words.find((one) => one.role === 'agent' && one.at_ms >= since_ms && one.text.startsWith(text.slice(0, 20)))
      await until(`the agent says "${text}"`, () => find() !== undefined)
      // Words are shown when the service knows that they are played.
      const shown_ms = find()?.at_ms ?? 0
      return stretches.findLast(({ start_ms }) => start_ms <= shown_ms)?.start_ms ?? shown_ms
    },
    isQuiet: person.isQuiet,
    untilQuiet: person.untilQuiet,
    ended: ended.promise,
    close: () => finish(),
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
