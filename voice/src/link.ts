import { newError } from './errors.ts'
import { sample_rate } from './format.ts'
import type { VoiceError, Words } from './types.ts'

const come_back_within_ms = 60_000
const wait_first_ms = 250
const wait_max_ms = 4_000
/** A service that has not answered an opened socket by then is tried again. */
const ready_within_ms = 8_000
/** 1 s of sound. While more than this waits to be sent, nothing is added. */
const unsent_max_bytes = 32_000
/** A socket that sends nothing for this long is dead, also if the browser has not noticed yet. */
const stalled_after_ms = 4_000
const token_refused = 4_401
/** A live call comes back after this many errors, such as sound that came in a burst because the page hung. */
const faults_max = 3
/** A connection that has lasted this long works: earlier errors don't count any more. */
const works_after_ms = 30_000

type FromService =
  | { type: 'ready'; call_id: string; token: string }
  | { type: 'clear' }
  | ({ type: 'words' } & Words)
  | { type: 'ended'; end_reason: string }
  | { type: 'error'; code: string; message: string }

interface LinkOptions {
  url: string
  token: string
  /** Is called whenever the connection is there, also when it has come back. */
  onReady: (call_id: string) => void
  onSound: (samples: Int16Array<ArrayBuffer>) => void
  onClear: () => void
  onWords: (words: Words) => void
  /** Is called when the connection is lost or the service is full, before the next try. */
  onWait: (why: 'busy' | 'reconnecting') => void
  onEnd: (end_reason: string, error?: VoiceError) => void
}

/** The connection to the service. It comes back by itself after a loss. */
export interface Link {
  sendFrame: (samples: Int16Array<ArrayBuffer>) => void
  /** Sends a message, or drops it while there is no connection. */
  send: (message: object) => void
  /** Ends the call for the service, too. Without a connection it does so when there is one, as long as one is tried. */
  hangUp: () => void
  close: () => void
}

export function openLink({ url, token: first_token, ...on }: LinkOptions): Link {
  let token = first_token
  let socket: WebSocket | undefined
  let is_ready = false
  let was_ready = false
  let is_closed = false
  let is_busy = false
  let is_hanging_up = false
  let attempt = 0
  let faults = 0
  let ready_at = 0
  /** When the connection was lost, or when the first one was begun. */
  let lost_at = performance.now()
  let timer: ReturnType<typeof setTimeout> | undefined
  /** Bytes that the socket was given and has sent, and when it last sent some. */
  let traffic = { given: 0, sent: 0, at: 0 }

  function open(): void {
    clearTimeout(timer)
    if (is_closed) return
    const opened = new WebSocket(url)
    socket = opened
    opened.binaryType = 'arraybuffer'
    opened.onopen = () => opened.send(JSON.stringify({ type: 'start', token, sample_rate }))
    opened.onmessage = ({ data }) => socket === opened && receive(data)
    opened.onclose = ({ code }) => socket === opened && lose(code)
    timer = setTimeout(() => abandon(opened), ready_within_ms)
  }

  /** Closes the socket without waiting for the other side, which may be dead and would take minutes. */
  function abandon(opened: WebSocket): void {
    opened.close()
    if (socket === opened) lose()
  }

  function receive(data: unknown): void {
    if (data instanceof ArrayBuffer) {
      // An odd byte at the end would be half a sample.
      if (is_ready) on.onSound(new Int16Array(data.slice(0, data.byteLength & ~1)))
      return
    }
    const message = parse(data)
    if (message?.type === 'ready' && is_hanging_up) return void sendEnd()
    if (message?.type === 'ready') {
      clearTimeout(timer)
      token = message.token
      is_ready = true
      was_ready = true
      is_busy = false
      attempt = 0
      ready_at = performance.now()
      traffic = { given: 0, sent: 0, at: ready_at }
      on.onReady(message.call_id)
    }
    if (message?.type === 'clear') on.onClear()
    if (message?.type === 'words') on.onWords({ role: message.role, text: message.text, is_final: message.is_final })
    if (message?.type === 'ended') end(message.end_reason)
    if (message?.type === 'error') fail(message)
  }

  /** Decides what follows an error of the service, which then closes the connection: another try, or the end. */
  function fail({ code, message }: VoiceError): void {
    if (performance.now() - ready_at > works_after_ms) faults = 0
    if (code === 'busy' || code === 'rate_limited') is_busy = true
    else if (was_ready && faults < faults_max) faults += 1
    else end('error', { code, message })
  }

  /** Tries again, with growing pauses. */
  function lose(code?: number): void {
    clearTimeout(timer)
    if (is_closed) return
    socket = undefined
    if (is_ready) lost_at = performance.now()
    is_ready = false
    const wait_ms = Math.min(wait_max_ms, wait_first_ms * 2 ** attempt) * (1 + Math.random() / 4)
    attempt += 1
    const is_late = performance.now() + wait_ms - lost_at > come_back_within_ms
    if (code === token_refused) giveUp('refused')
    else if (is_late) giveUp(is_busy ? 'busy' : 'failed')
    else {
      if (is_busy || was_ready) on.onWait(is_busy ? 'busy' : 'reconnecting')
      timer = setTimeout(open, wait_ms)
    }
  }

  /** Ends the call. A call that was live ends as lost, whatever the reason. */
  function giveUp(code: 'refused' | 'busy' | 'failed'): void {
    if (was_ready) end('lost', newError('lost'))
    else end('error', newError(code))
  }

  function end(end_reason: string, error?: VoiceError): void {
    if (is_closed) return
    close()
    on.onEnd(end_reason, error)
  }

  function sendEnd(): void {
    socket?.send(JSON.stringify({ type: 'end' }))
    close()
  }

  function close(): void {
    is_closed = true
    clearTimeout(timer)
    removeEventListener('online', comeBack)
    removeEventListener('offline', leave)
    socket?.close(1000)
    socket = undefined
  }

  /** Whether data has waited for too long without the socket sending any. */
  function isStalled({ bufferedAmount }: WebSocket): boolean {
    const now = performance.now()
    const sent = traffic.given - bufferedAmount
    if (bufferedAmount === 0 || sent > traffic.sent) traffic = { ...traffic, sent, at: now }
    return now - traffic.at > stalled_after_ms
  }

  const leave = () => socket && abandon(socket)
  const comeBack = () => {
    if (!socket) open()
  }
  addEventListener('online', comeBack)
  addEventListener('offline', leave)
  open()

  return {
    sendFrame: (samples) => {
      if (!socket || !is_ready) return
      if (isStalled(socket)) return abandon(socket)
      if (socket.bufferedAmount > unsent_max_bytes) return
      socket.send(samples)
      traffic.given += samples.byteLength
    },
    send: (message) => {
      const text = JSON.stringify(message)
      if (is_ready) socket?.send(text)
      traffic.given += text.length
    },
    hangUp: () => {
      if (is_ready) sendEnd()
      else is_hanging_up = true
    },
    close,
  }
}

/** Parses a message. Returns undefined for anything else. */
function parse(data: unknown): FromService | undefined {
  try {
    // The service sends these five types; others are ignored.
    return JSON.parse(String(data)) as FromService
  } catch {
    return undefined
  }
}
