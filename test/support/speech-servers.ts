import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { WebSocket, WebSocketServer } from 'ws'
import { joinSamples } from '../../server/audio/samples.ts'
import { readSamples } from '../../server/kit/sound/wav.ts'

/** A request that a speech service got. */
interface SpeechRequest {
  method: string
  path: string
  query: Record<string, string>
  headers: http.IncomingHttpHeaders
  /** The fields of a form, but its file. */
  fields: Record<string, string>
  /** The file of a form, or a body that is sound. */
  sound: Uint8Array | undefined
  json: unknown
}

type Answer = (response: http.ServerResponse, request: SpeechRequest) => unknown

export interface SpeechServer {
  /** The `base_url` of a provider with this server. */
  base_url: string
  requests: SpeechRequest[]
  /** What was heard while it was spoken. */
  streams: HeardStream[]
  /** Requests whose connection the client has closed before the answer was complete. */
  aborted: number
}

/** A socket that a speech service got. */
export interface HeardStream {
  path: string
  query: Record<string, string>
  headers: http.IncomingHttpHeaders
  /** The messages but those with sound. */
  messages: unknown[]
  samples: Int16Array
  rate: number
  /** No more sound follows. */
  is_ended: boolean
  socket: WebSocket
  /** Says words that may still change. */
  sayPartial: (text: string) => void
  sayFinal: (text: string) => void
  fail: (message: string, type?: string) => void
}

/** What a service does when it has heard more, or all. */
type Hear = (stream: HeardStream) => unknown

const hearPlumber: Hear = (stream) => {
  if (stream.is_ended) stream.sayFinal('I need a plumber.')
}

/**
 * Starts a server that answers as the service does, unless `answer` or `hear` are given. It is closed after the tests of the
 * file.
 */
export async function speechServer(
  kind: keyof typeof wires,
  answer: Answer = wires[kind],
  hear: Hear = hearPlumber,
): Promise<SpeechServer> {
  const there: SpeechServer = { base_url: '', requests: [], streams: [], aborted: 0 }
  const receive = async (request: http.IncomingMessage, response: http.ServerResponse) => {
    response.on('close', () => {
      if (!response.writableFinished) there.aborted += 1
    })
    const body = Buffer.concat(await Array.fromAsync(request))
    const received = await read(request, body)
    there.requests.push(received)
    try {
      await answer(response, received)
    } catch (error) {
      // What is wrong with the request is shown where the test looks at the answer.
      sendJson(response, 400, { message: error instanceof Error ? error.message : 'wrong' })
    }
  }
  const server = http.createServer((request, response) => void receive(request, response))
  const sockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, socket, head) => {
    const wire = kind === 'deepgram' ? undefined : sockets_of[kind]
    if (!wire?.accepts(request)) return void socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n')
    sockets.handleUpgrade(request, socket, head, (opened) => there.streams.push(openHeard(opened, request, wire, hear)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    for (const socket of sockets.clients) socket.terminate()
    server.closeAllConnections()
    server.close()
  })
  there.base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/proxy/v1`
  return there
}

async function read(request: http.IncomingMessage, body: Buffer): Promise<SpeechRequest> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
  const type = request.headers['content-type'] ?? ''
  const form = type.startsWith('multipart/form-data')
    ? await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
    : new FormData()
  const file = form.get('file')
  const file_bytes = file instanceof File ? new Uint8Array(await file.arrayBuffer()) : undefined
  return {
    method: request.method ?? '',
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers: request.headers,
    fields: Object.fromEntries(
      [...form].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
    ),
    sound: file_bytes ?? (type.startsWith('audio/') ? new Uint8Array(body) : undefined),
    json: type.startsWith('application/json') ? JSON.parse(body.toString()) : undefined,
  }
}

export function sendJson(response: http.ServerResponse, status: number, body: unknown, headers: object = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

const sendSound = (response: http.ServerResponse, type: string, sound: Uint8Array): unknown =>
  response.writeHead(200, { 'content-type': type }).end(sound)

/** Makes this many samples, all different, so that a test sees what is lost. */
export const samples = (count: number): Int16Array =>
  Int16Array.from({ length: count }, (_, index) => (index * 7) % 997)

const bytesOf = (values: Int16Array): Buffer => Buffer.from(values.buffer, values.byteOffset, values.byteLength)

/** A service that streams writes `length` into the header before it knows how long the sound becomes. */
export function wavFile(
  values: Int16Array,
  {
    rate,
    length,
    byte_rate = rate * 2,
    channels = 1,
  }: { rate: number; length?: number; byte_rate?: number; channels?: number },
): Buffer {
  const head = Buffer.alloc(36)
  head.write('RIFF')
  head.writeUInt32LE(0xffffffff, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(channels, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(byte_rate, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  // A chunk that nobody needs, of an odd length.
  const list = Buffer.from('LIST\x03\0\0\0abc\0', 'latin1')
  const data = Buffer.alloc(8)
  data.write('data')
  data.writeUInt32LE(length ?? values.byteLength, 4)
  return Buffer.concat([head, list, data, bytesOf(values)])
}

const isWav = (sound: Uint8Array | undefined): boolean =>
  sound !== undefined && Buffer.from(sound).toString('latin1', 0, 4) === 'RIFF'

/** What each service does with a request, as its documentation says. */
const wires = {
  openai_compatible(response, { method, path, headers, fields, sound, json }) {
    assert.equal(method, 'POST')
    if (headers.authorization !== 'Bearer sk-test')
      return sendJson(response, 401, {
        error: { message: `Incorrect API key provided: ${headers.authorization}.`, code: 'invalid_api_key' },
      })
    if (path.endsWith('/v1/audio/transcriptions')) {
      assert.ok(isWav(sound) && fields.model !== undefined)
      return sendJson(response, 200, { text: ' I need a plumber. ', language: 'english', duration: 1.5 })
    }
    assert.ok(path.endsWith('/v1/audio/speech'))
    assert.partialDeepStrictEqual(json, { response_format: 'wav' })
    return sendSound(response, 'audio/wav', wavFile(samples(2_400), { rate: 24_000, length: 0xffffffff }))
  },
  elevenlabs(response, { method, path, query, headers, fields, sound }) {
    assert.equal(method, 'POST')
    if (headers['xi-api-key'] !== 'sk-test')
      return sendJson(response, 401, { detail: { status: 'invalid_api_key', message: 'Invalid API key' } })
    if (path.endsWith('/v1/speech-to-text')) {
      assert.ok(isWav(sound) && fields.model_id !== undefined)
      return sendJson(response, 200, { language_code: 'eng', language_probability: 0.98, text: 'I need a plumber.' })
    }
    assert.match(path, /\/v1\/text-to-speech\/\w+(\/stream)?$/)
    assert.equal(query.output_format, 'pcm_16000')
    return sendSound(response, 'audio/pcm', bytesOf(samples(1_600)))
  },
  deepgram(response, { method, path, query, headers, sound, json }) {
    assert.equal(method, 'POST')
    if (headers.authorization !== 'Token sk-test')
      return sendJson(response, 401, { err_code: 'INVALID_AUTH', err_msg: 'Invalid credentials.', request_id: 'a' })
    if (path.endsWith('/v1/listen')) {
      assert.ok(isWav(sound) && query.model !== undefined)
      const words = [{ word: 'plumber', start: 0.1, end: 0.6 }]
      const channels = [{ alternatives: [{ transcript: 'I need a plumber.', words }] }]
      return sendJson(response, 200, { metadata: { duration: 1.5 }, results: { channels } })
    }
    assert.ok(path.endsWith('/v1/speak'))
    assert.partialDeepStrictEqual(query, { encoding: 'linear16', container: 'wav' })
    assert.ok(json)
    return sendSound(response, 'audio/wav', wavFile(samples(2_400), { rate: 24_000 }))
  },
} satisfies Record<string, Answer>

function openHeard(socket: WebSocket, request: http.IncomingMessage, wire: SocketWire, hear: Hear): HeardStream {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
  const send = (message: object) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message))
  }
  let shown = ''
  const stream: HeardStream = {
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers: request.headers,
    messages: [],
    samples: new Int16Array(),
    rate: 0,
    is_ended: false,
    socket,
    sayPartial(text) {
      if (text !== shown) send(wire.partial(text, shown))
      shown = text
    },
    sayFinal: (text) => send(wire.final(text)),
    fail: (message, type) => send(wire.error(message, type)),
  }
  socket.on('error', () => {})
  if (wire.greeting) send(wire.greeting)
  socket.on('message', (data) => {
    const message = JSON.parse(String(data))
    const { audio, is_end } = wire.read(message, stream)
    if (audio === undefined) stream.messages.push(message)
    else stream.samples = joinSamples([stream.samples, readSamples(Buffer.from(audio, 'base64'))])
    stream.is_ended ||= is_end
    hear(stream)
  })
  return stream
}

interface SocketWire {
  accepts: (request: http.IncomingMessage) => boolean
  greeting?: object
  // biome-ignore lint/suspicious/noExplicitAny: it is what the client sends
  read: (message: any, stream: HeardStream) => { audio: string | undefined; is_end: boolean }
  /** `shown` is what was said before. */
  partial: (text: string, shown: string) => object
  final: (text: string) => object
  error: (message: string, type?: string) => object
}

/** How each service hears while someone speaks, as its documentation says. */
const sockets_of: Record<'openai_compatible' | 'elevenlabs', SocketWire> = {
  openai_compatible: {
    accepts: ({ url = '', headers }) =>
      url.endsWith('/v1/realtime?intent=transcription') &&
      headers.authorization === undefined &&
      headers['sec-websocket-protocol'] === 'realtime,openai-insecure-api-key.sk-test',
    read(message, stream) {
      const { format } = message.session?.audio.input ?? {}
      if (format) {
        assert.deepEqual([message.type, format], ['session.update', { type: 'audio/pcm', rate: 24_000 }])
        stream.rate = format.rate
      }
      return { audio: message.audio, is_end: message.type === 'input_audio_buffer.commit' }
    },
    partial: (text, shown) => ({
      type: 'conversation.item.input_audio_transcription.delta',
      item_id: 'item_1',
      delta: text.slice(shown.length),
    }),
    final: (transcript) => ({
      type: 'conversation.item.input_audio_transcription.completed',
      item_id: 'item_1',
      transcript,
    }),
    error: (message, type = 'invalid_request_error') => ({ type: 'error', error: { type, code: null, message } }),
  },
  elevenlabs: {
    accepts: ({ url = '', headers }) =>
      /\/v1\/speech-to-text\/realtime\?/.test(url) && headers['xi-api-key'] === 'sk-test',
    greeting: { message_type: 'session_started', session_id: 's1' },
    read(message, stream) {
      assert.deepEqual([message.message_type, stream.query.audio_format], ['input_audio_chunk', 'pcm_16000'])
      stream.rate = message.sample_rate
      return { audio: message.audio_base_64, is_end: message.commit }
    },
    partial: (text) => ({ message_type: 'partial_transcript', text }),
    final: (text) => ({ message_type: 'committed_transcript', text }),
    error: (error, message_type = 'transcriber_error') => ({ message_type, error }),
  },
}
