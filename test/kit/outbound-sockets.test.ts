import assert from 'node:assert/strict'
import { once } from 'node:events'
import http, { type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { after, test } from 'node:test'
import { createElevenLabs } from '@ai-sdk/elevenlabs'
import { WebSocket, WebSocketServer } from 'ws'
import { type OutboundOptions, openOutbound } from '../../server/kit/outbound/outbound.ts'
import type { SocketOptions } from '../../server/kit/outbound/socket.ts'
import { until } from '../support/model-servers.ts'

function outbound(options: Partial<OutboundOptions> = {}) {
  const opened = openOutbound({ allowed: [], ...options })
  after(() => opened.close())
  return opened
}

const limits = {
  is_trusted: false,
  open_timeout_ms: 10_000,
  timeout_ms: 20_000,
  message_bytes_max: 1_000,
  bytes_max: 10_000,
  unsent_bytes_max: 1024 * 1024,
}

interface Peer {
  /** It begins with http. */
  origin: string
  headers: IncomingHttpHeaders[]
  sockets: WebSocket[]
}

/** Starts a server that returns each message, unless `connect` is given. It is closed after the tests of the file. */
async function peer(connect: (socket: WebSocket) => unknown = echo): Promise<Peer> {
  const server = http.createServer()
  const wss = new WebSocketServer({ server })
  const there: Peer = { origin: '', headers: [], sockets: [] }
  wss.on('connection', (socket, { headers }) => {
    there.headers.push(headers)
    there.sockets.push(socket)
    socket.on('error', () => {})
    connect(socket)
  })
  there.origin = await listen(server)
  after(() => {
    for (const socket of wss.clients) socket.terminate()
  })
  return there
}

async function listen(server: http.Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const echo = (socket: WebSocket) =>
  socket.on('message', (data, is_binary) => socket.send(data as Buffer, { binary: is_binary }))

const toWs = (origin: string) => origin.replace(/^http/, 'ws')

/** Opens a socket at the origin, through an outbound that allows this machine. */
function connect(origin: string, options: Partial<SocketOptions> = {}, allowed = outbound({ allowed: ['127.0.0.1'] })) {
  const Sockets = allowed.socketClass({ ...limits, origin, ...options })
  return new Sockets(`${toWs(origin)}/live`, undefined, { headers: { 'x-key': 'secret', 'x-none': undefined } })
}

/** Unlike `once`, it takes no notice of errors. */
const closed = (socket: WebSocket): Promise<unknown> => new Promise((resolve) => socket.on('close', resolve))

/** Returns the error of a socket that doesn't open. */
const failed = async (socket: WebSocket): Promise<Error> => {
  const [error] = await once(socket, 'error')
  return error
}

test('headers are sent, and messages in both directions', async () => {
  const there = await peer()
  const socket = connect(there.origin)
  await once(socket, 'open')
  assert.partialDeepStrictEqual(there.headers[0], { 'x-key': 'secret' })
  assert.equal('x-none' in (there.headers[0] ?? {}), false)
  socket.send('hello')
  const [text, is_binary] = await once(socket, 'message')
  assert.deepEqual([String(text), is_binary], ['hello', false])
  socket.send(new Uint8Array([1, 2, 3]))
  assert.deepEqual([...(await once(socket, 'message'))[0]], [1, 2, 3])
  socket.close()
  await closed(socket)
})

for (const host of [
  '127.0.0.1',
  '0x7f.1',
  '10.0.0.1',
  '169.254.169.254',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '168.63.129.16',
])
  test(`ws://${host}/ is private: refused`, () => {
    const Sockets = outbound().socketClass({ ...limits, origin: new URL(`http://${host}`).origin })
    assert.throws(() => new Sockets(`ws://${host}/`), /public address/)
  })

for (const name of ['localhost', 'a.localhost', 'both.test', 'inside.test'])
  test(`ws://${name}/, which has a private address, is refused at the connection`, async () => {
    const there = await peer()
    const found: Record<string, string[]> = {
      'both.test': ['93.184.215.14', '127.0.0.1'],
      'inside.test': ['127.0.0.1'],
    }
    const guarded = outbound({ resolve: async (name) => found[name] ?? [] })
    const socket = connect(there.origin.replace('127.0.0.1', name), {}, guarded)
    assert.match(String(await failed(socket)), /public address/)
    assert.equal(there.headers.length, 0)
  })

test('a name that changes to a private address is refused, and one that is allowed is resolved once', async () => {
  const there = await peer()
  const answers = [['93.184.215.14'], ['127.0.0.1']]
  const guarded = outbound({ resolve: async () => answers.shift() ?? [] })
  const origin = there.origin.replace('127.0.0.1', 'rebound.test')
  assert.equal(await guarded.refusal(origin), undefined)
  assert.match(String(await failed(connect(origin, {}, guarded))), /public address/)
  const later = [['127.0.0.1'], ['192.0.2.1']]
  const allowing = outbound({ allowed: ['127.0.0.0/8'], resolve: async () => later.shift() ?? [] })
  const socket = connect(origin, {}, allowing)
  await once(socket, 'open')
  assert.match(there.headers[0]?.host ?? '', /^rebound\.test:/)
  assert.deepEqual(later, [['192.0.2.1']])
  socket.terminate()
})

test('a trusted URL may be private, and only its own origin is called', async () => {
  const there = await peer()
  const guarded = outbound()
  const socket = connect(there.origin, { is_trusted: true }, guarded)
  await once(socket, 'open')
  socket.terminate()
  const other = await peer()
  const Sockets = guarded.socketClass({ ...limits, is_trusted: true, origin: there.origin })
  for (const url of [
    toWs(other.origin),
    toWs(there.origin).replace('ws:', 'wss:'),
    'ws+unix:/tmp/a.sock:/',
    other.origin,
  ])
    assert.throws(() => new Sockets(url), /another server/)
  assert.equal(other.headers.length, 0)
})

test('a message may have as many bytes as allowed; a longer one closes the socket', async () => {
  const there = await peer((socket) => {
    socket.send('x'.repeat(1_000))
    socket.send('x'.repeat(1_001))
  })
  const socket = connect(there.origin)
  const ending = closed(socket)
  const lengths: number[] = []
  socket.on('message', (data: Buffer) => lengths.push(data.length))
  await ending
  assert.deepEqual(lengths, [1_000])
})

test('all messages together may have as many bytes as allowed; more close the socket', async () => {
  const there = await peer((socket) => {
    for (let sent = 0; sent < 11; sent += 1) socket.send('x'.repeat(1_000))
  })
  const failures: Error[] = []
  const socket = connect(there.origin, { onFailure: (error) => failures.push(error) })
  await closed(socket)
  assert.match(String(failures[0]), /more than 10000 bytes/)
  const less = await peer((socket) => {
    for (let sent = 0; sent < 10; sent += 1) socket.send('x'.repeat(1_000))
    socket.close()
  })
  const none: Error[] = []
  const whole = connect(less.origin, { onFailure: (error) => none.push(error) })
  await closed(whole)
  assert.deepEqual(none, [])
})

test('the reason of a failure is told, and the status of a handshake that was refused', async () => {
  const reasonOf = async (origin: string, options: Partial<SocketOptions> = {}) => {
    const failures: { message: string; status: number | null }[] = []
    await closed(connect(origin, { ...options, onFailure: (error) => failures.push(error) }))
    return [failures[0]?.message, failures[0]?.status]
  }
  const refusing = http.createServer().on('upgrade', (_request, socket: Socket) => {
    socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n')
  })
  assert.deepEqual(await reasonOf(await listen(refusing)), ['The server answered with the status 403.', 403])
  const talkative = await peer((socket) => socket.send('x'.repeat(1_001)))
  assert.deepEqual(await reasonOf(talkative.origin), ['A message is too long.', null])
  const silent = await listen(http.createServer().on('upgrade', () => {}))
  assert.deepEqual(await reasonOf(silent, { open_timeout_ms: 50 }), ['The connection timed out.', null])
  const there = await peer()
  assert.deepEqual(await reasonOf(there.origin, { timeout_ms: 50 }), [
    'The connection was open for 0.05 seconds.',
    null,
  ])
  assert.deepEqual(await reasonOf('http://127.0.0.1:9'), ['The connection was refused.', null])
})

test('a socket whose other side doesn’t read is closed', async () => {
  const there = await peer((socket) => socket.pause())
  const socket = connect(there.origin)
  await once(socket, 'open')
  const ending = closed(socket)
  const piece = new Uint8Array(64 * 1024)
  for (let sent = 0; sent < 4_096 && socket.readyState === WebSocket.OPEN; sent += 1) {
    socket.send(piece)
    await new Promise(setImmediate)
  }
  await ending
})

test('a socket ends when its time is over, or has not begun in time', async () => {
  const there = await peer()
  const socket = connect(there.origin, { timeout_ms: 200 })
  await closed(socket)
  assert.equal(there.headers.length, 1)
  const silent = await listen(http.createServer().on('upgrade', () => {}))
  assert.match(String(await failed(connect(silent, { open_timeout_ms: 50 }))), /timed out/)
})

test('no redirect is followed, and an error that nobody listens to ends nothing', async () => {
  const other = await peer()
  const redirecting = http.createServer().on('upgrade', (_request, socket: Socket) => {
    socket.end(`HTTP/1.1 302 Found\r\nLocation: ${toWs(other.origin)}/\r\nContent-Length: 0\r\n\r\n`)
  })
  const socket = connect(await listen(redirecting))
  await closed(socket)
  assert.equal(other.headers.length, 0)
})

test('sockets end when the outbound is closed', async () => {
  const there = await peer()
  const allowed = outbound({ allowed: ['127.0.0.1'] })
  const socket = connect(there.origin, {}, allowed)
  await once(socket, 'open')
  await allowed.close()
  await until(() => socket.readyState === WebSocket.CLOSED)
})

test('a package of the AI SDK streams sound through it', async () => {
  const received: number[] = []
  const there = await peer((socket) => {
    socket.send(JSON.stringify({ message_type: 'session_started', session_id: 's' }))
    socket.on('message', (data) => {
      const { audio_base_64 = '', commit } = JSON.parse(String(data))
      received.push(...Buffer.from(audio_base_64, 'base64'))
      if (commit) socket.send(JSON.stringify({ message_type: 'committed_transcript', text: 'I need a plumber.' }))
    })
  })
  const { origin } = there
  const Guarded = outbound({ allowed: ['127.0.0.1'] }).socketClass({ ...limits, origin })
  class Moved extends Guarded {
    constructor(url: string | URL, ...rest: [string?, { headers?: Record<string, string> }?]) {
      super(String(url).replace('wss://api.elevenlabs.io', toWs(origin)), ...rest)
    }
  }
  const model = createElevenLabs({ apiKey: 'sk-test', webSocket: Moved as never }).transcription('scribe_v2_realtime')
  const streamed = await model.doStream?.({
    audio: ReadableStream.from([new Uint8Array([1, 2]), new Uint8Array([3, 4])]),
    inputAudioFormat: { type: 'audio/pcm', rate: 16_000 },
  })
  assert.ok(streamed)
  const parts = await Array.fromAsync(streamed.stream)
  assert.ok(
    parts.some((part) => part.type === 'transcript-final' && part.text === 'I need a plumber.'),
    JSON.stringify(parts),
  )
  assert.deepEqual(received, [1, 2, 3, 4])
  assert.equal(there.headers[0]?.['xi-api-key'], 'sk-test')
})

const floods: [string, (socket: WebSocket) => void][] = [
  ['messages', (socket) => socket.send('{"type":"a"}')],
  ['pings', (socket) => socket.ping()],
  ['pongs', (socket) => socket.pong()],
]
for (const [name, send] of floods) {
  test(`a server that floods a socket with ${name} is disconnected`, async () => {
    const count = 20_000
    const there = await peer((socket) => {
      for (let sent = 0; sent < count; sent += 1) send(socket)
    })
    const failures: string[] = []
    const onFailure = ({ message }: Error) => void failures.push(message)
    const options = { ...limits, bytes_max: 1_000_000, is_trusted: true, origin: there.origin, onFailure }
    const socket = new (outbound().socketClass(options))(there.origin.replace('http', 'ws'))
    let heard = 0
    for (const event of ['message', 'ping', 'pong'])
      socket.on(event, () => {
        heard += 1
      })
    await once(socket, 'close')
    // The library itself closes a socket with too many pings to answer.
    assert.equal(failures[0], name === 'pings' ? undefined : 'The server has sent too many messages in a second.')
    assert.ok(heard < count / 2, `${heard} of ${count} were read`)
  })
}
