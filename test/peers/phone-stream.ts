import { randomBytes } from 'node:crypto'
import { WebSocket } from 'ws'
import { fromMulaw, toMulaw } from '../../server/kit/sound/mulaw.ts'
import type { ConnectedPerson } from '../support/person.ts'

/** One stream of a call, as Twilio's Media Streams. Its times are the person's. */
export interface StreamRecord {
  readonly stream_sid: string
  readonly url: string
  readonly parameters: Record<string, string>
  opened_ms: number | undefined
  closed_ms: number | undefined
  /** Undefined while it is open. `refused`: the socket never opened. */
  closed_by: 'service' | 'peer' | 'refused' | undefined
  close_code: number | undefined
  /** What came from the service, in its order. */
  readonly arrivals: Arrival[]
  readonly marks: Mark[]
}

export type Arrival = { at_ms: number } & (
  | { event: 'media'; ms: number }
  | { event: 'mark'; name: string }
  | { event: 'clear' }
)

export interface Mark {
  name: string
  arrived_ms: number
  /** When it was sent back. */
  returned_ms: number | undefined
  /** Its sound was dropped by a `clear`, and not all of it was played. */
  is_cleared: boolean
}

export interface PhoneStream {
  readonly record: StreamRecord
  /** Returns false if it is not open. */
  sendFrame: (frame: Int16Array) => boolean
  /** Sends back the marks whose sound was played. */
  returnMarks: () => void
  press: (digit: string) => void
  /** Sends `stop` and closes the socket, as Twilio does when the call ends or goes on with something else. */
  stop: () => void
  /** Breaks the socket without a word. */
  cut: () => void
  /** Resolves when the socket is closed, by whom ever. */
  closed: Promise<void>
}

export interface StreamOptions {
  /** As in the TwiML. */
  url: string
  /** Where it is opened. */
  connect_url: string
  signature: string
  parameters: Record<string, string>
  account_sid: string
  call_sid: string
  person: ConnectedPerson
  /** Something that Twilio would refuse. */
  onProblem: (problem: string) => void
}

const handshake_timeout_ms = 5_000
/** Twilio waits so long for the socket's end after a `stop`. */
const close_timeout_ms = 1_000
const frame_ms = 20
const bytes_per_ms = 8

export function openStream(options: StreamOptions): PhoneStream {
  const { url, connect_url, signature, parameters, account_sid, call_sid, person, onProblem } = options
  const stream_sid = `MZ${randomBytes(16).toString('hex')}`
  const record: StreamRecord = {
    stream_sid,
    url,
    parameters,
    opened_ms: undefined,
    closed_ms: undefined,
    closed_by: undefined,
    close_code: undefined,
    arrivals: [],
    marks: [],
  }
  /** Marks that are to be sent back when so many samples were heard. */
  const outstanding: { mark: Mark; heard_samples: number }[] = []
  const closed = Promise.withResolvers<void>()
  let is_stopped = false
  let sequence = 0
  let frames = 0

  const socket = new WebSocket(connect_url, {
    perMessageDeflate: false,
    handshakeTimeout: handshake_timeout_ms,
    headers: { 'x-twilio-signature': signature },
  })
  const isOpen = () => socket.readyState === WebSocket.OPEN && record.opened_ms !== undefined && !is_stopped
  const send = (event: string, body: object) => {
    sequence += 1
    socket.send(JSON.stringify({ event, sequenceNumber: String(sequence), ...body, streamSid: stream_sid }))
  }

  socket.on('open', () => {
    if (is_stopped) return socket.terminate()
    record.opened_ms = person.now()
    socket.send(JSON.stringify({ event: 'connected', protocol: 'Call', version: '1.0.0' }))
    send('start', {
      start: {
        accountSid: account_sid,
        streamSid: stream_sid,
        callSid: call_sid,
        tracks: ['inbound'],
        mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8_000, channels: 1 },
        customParameters: parameters,
      },
    })
  })
  socket.on('message', (bytes: Buffer, is_binary: boolean) => {
    if (is_stopped) return
    try {
      if (is_binary) throw new Error('a binary message')
      receive(JSON.parse(bytes.toString()))
    } catch (error) {
      // Twilio's error 31951. It closes the stream.
      onProblem(`the stream got ${error instanceof Error ? error.message : error}`)
      stop()
    }
  })
  // `close` follows.
  socket.on('error', () => {})
  socket.on('close', (code) => {
    // What was not yet played is not played any more.
    person.drop()
    record.closed_ms = person.now()
    record.close_code = code
    record.closed_by = is_stopped ? 'peer' : record.opened_ms === undefined ? 'refused' : 'service'
    closed.resolve()
  })

  function receive(message: unknown): void {
    const { event, streamSid, media, mark, ...others } = Object(message)
    const at_ms = person.now()
    if (streamSid !== stream_sid) throw new Error(`a message for the stream ${streamSid}`)
    if (Object.keys(others).length > 0) throw new Error(`the unknown members ${Object.keys(others)}`)
    if (event === 'media') {
      const payload = String(media?.payload)
      const sound = Buffer.from(payload, 'base64')
      if (sound.length === 0 || sound.toString('base64') !== payload) throw new Error('a payload that is not Base64')
      person.receive(Int16Array.from(sound, fromMulaw))
      record.arrivals.push({ event, at_ms, ms: sound.length / bytes_per_ms })
    } else if (event === 'mark') {
      const { name } = Object(mark)
      if (typeof name !== 'string' || name === '') throw new Error('a mark without a name')
      const arrived: Mark = { name, arrived_ms: at_ms, returned_ms: undefined, is_cleared: false }
      record.arrivals.push({ event, at_ms, name })
      record.marks.push(arrived)
      outstanding.push({ mark: arrived, heard_samples: person.heard_samples + person.waiting_samples })
      returnMarks()
    } else if (event === 'clear') {
      person.clear()
      record.arrivals.push({ event, at_ms })
      for (const { mark, heard_samples } of outstanding) mark.is_cleared = heard_samples > person.heard_samples
      for (const { mark } of outstanding.splice(0)) returnMark(mark)
    } else throw new Error(`the event ${event}`)
  }

  function returnMarks(): void {
    while (outstanding[0] && outstanding[0].heard_samples <= person.heard_samples && isOpen()) {
      returnMark(outstanding[0].mark)
      outstanding.shift()
    }
  }

  function returnMark(mark: Mark): void {
    mark.returned_ms = person.now()
    send('mark', { mark: { name: mark.name } })
  }

  function stop(): void {
    if (is_stopped) return
    if (isOpen()) send('stop', { stop: { accountSid: account_sid, callSid: call_sid } })
    is_stopped = true
    if (socket.readyState === WebSocket.CONNECTING) socket.terminate()
    else socket.close()
    const timer = setTimeout(() => socket.terminate(), close_timeout_ms)
    socket.once('close', () => clearTimeout(timer))
  }

  return {
    record,
    sendFrame(frame) {
      if (!isOpen()) return false
      const payload = Buffer.from(Uint8Array.from(frame, toMulaw)).toString('base64')
      const media = { track: 'inbound', chunk: String(frames + 1), timestamp: String(frames * frame_ms), payload }
      frames += 1
      send('media', { media })
      return true
    },
    returnMarks,
    press: (digit) => {
      if (isOpen()) send('dtmf', { dtmf: { track: 'inbound_track', digit } })
    },
    stop,
    cut: () => socket.terminate(),
    closed: closed.promise,
  }
}
