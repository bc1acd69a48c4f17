import assert from 'node:assert/strict'
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { loudnessOf, type Phrase } from './fake-speech.ts'
import type { Tenant } from './harness.ts'

export interface Place {
  call: { id: string; [member: string]: unknown }
  url: string
  token: string
  expires_at: string
}

export async function placeWebCall(tenant: Tenant, body: object): Promise<Place> {
  const answer = await tenant.call('POST', '/calls/web', body)
  assert.equal(answer.status, 201, answer.text)
  return answer.body.data
}

interface Message {
  type: string
  [member: string]: unknown
}

interface ClientOptions {
  sample_rate?: number
  origin?: string
  /** Whether it sends sound and says what it has played, as a browser does. */
  is_live?: boolean
  /** Whether it plays what it hears. */
  is_playing?: boolean
}

export interface VoiceClient {
  socket: WebSocket
  messages: Message[]
  /** Bytes of sound that came. */
  heard: () => number
  /** The first message of the type, also one that is yet to come. Rejects when the socket is closed before. */
  next: (type: string) => Promise<Message>
  /** Speaks, and is silent after it. */
  say: (phrase: Phrase, options?: { frames?: number }) => void
  send: (message: object) => void
  /** The code with which the socket was closed. */
  closed: Promise<number>
  end: () => void
}

const frame_ms = 20
/** A phrase is long enough to be speech, and short for a test. */
const phrase_frames = 25
/** Frames are sent together, and ahead of time: on a busy machine a phrase would have pauses, and be two. */
const frames_at_once = 25

/** Opens the socket of a call, as a browser does. Sound that it hears counts as played at once. */
export function openVoiceClient(
  { url, token }: Pick<Place, 'url' | 'token'>,
  options: ClientOptions = {},
): VoiceClient {
  const { sample_rate = 16_000, origin, is_live = true, is_playing = is_live } = options
  const socket = new WebSocket(url, { ...(origin && { origin }) })
  const messages: Message[] = []
  const frame_samples = (sample_rate * frame_ms) / 1_000
  let bytes = 0
  let wake = () => {}
  let speaking = { level: 0, frames: 0 }
  let ahead = 0
  let timer: NodeJS.Timeout | undefined
  const send = (message: object) => socket.send(JSON.stringify(message))
  const closed = once(socket, 'close').then(([code]) => {
    clearInterval(timer)
    wake()
    return code as number
  })
  const sendFrames = () => {
    ahead -= 1
    if (ahead > 0) return
    const { level, frames } = speaking.frames > 0 ? speaking : { level: 0, frames: 1 }
    ahead = Math.min(frames, frames_at_once)
    speaking.frames -= ahead
    const frame = Buffer.from(new Int16Array(frame_samples).fill(level).buffer)
    for (let count = 0; count < ahead; count += 1) socket.send(frame)
  }
  socket.on('error', () => {})
  socket.on('open', () => send({ type: 'start', token, sample_rate }))
  socket.on('message', (data: Buffer, is_binary) => {
    if (is_binary) {
      bytes += data.length
      if (is_playing) send({ type: 'played', ms: (bytes / 2 / sample_rate) * 1_000 })
      return
    }
    const message: Message = JSON.parse(data.toString())
    messages.push(message)
    if (message.type === 'ready' && is_live) timer = setInterval(sendFrames, frame_ms)
    wake()
  })
  return {
    socket,
    messages,
    heard: () => bytes,
    send,
    closed,
    say: (phrase, { frames = phrase_frames } = {}) => {
      speaking = { level: loudnessOf(phrase), frames }
    },
    async next(type) {
      for (;;) {
        const found = messages.find((message) => message.type === type)
        if (found) return found
        assert.ok(
          socket.readyState <= WebSocket.OPEN,
          `the socket was closed before ${type}: ${JSON.stringify(messages)}`,
        )
        const { promise, resolve } = Promise.withResolvers<void>()
        wake = resolve
        await promise
      }
    },
    end: () => {
      clearInterval(timer)
      socket.terminate()
    },
  }
}
