import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { type WebSocket, WebSocketServer } from 'ws'

/** 20 ms of PCM16 at 16 kHz. */
const bytes_per_ms = 32

/** What the peer answers instead of the server, by method and path. */
type PeerAnswers = Record<string, { status: number; body: object }>

/** One connection of the client, as the service sees it. */
export interface PeerSocket {
  start: { type: string; token: string; sample_rate: number }
  origin: string | undefined
  /** What came, with the time of its arrival. */
  frames: { bytes: Buffer; at_ms: number }[]
  messages: Record<string, unknown>[]
  /** The `ms` of the last `played` message. */
  played: () => number
  /** Ms of sound that was sent. */
  sent: () => number
  isClosed: () => boolean
  send: (message: object) => void
  /** Sends a tone, in frames of 20 ms, all at once. */
  sendTone: (ms: number) => void
  /** Loses the connection without a word. */
  drop: () => void
  close: (code: number) => void
}

export interface VoicePeer {
  /** Where pages are opened. */
  url: string
  socket_url: string
  answers: PeerAnswers
  /** All connections, the oldest first. */
  sockets: PeerSocket[]
  /** Whether connections get their `ready` at once. */
  is_answering: boolean
}

/**
 * Stands between the browser and the server: it passes on all requests but those for which it has an answer, and plays the service's
 * part on the socket. Tests that need the real one open their pages at the server.
 */
export async function openVoicePeer(server_url: string): Promise<VoicePeer> {
  const peer: VoicePeer = { url: '', socket_url: '', answers: {}, sockets: [], is_answering: true }
  const proxy = http.createServer((request, response) => {
    const answer = peer.answers[`${request.method} ${request.url?.split('?', 1)[0]}`]
    if (!answer) return passOn(server_url, request, response)
    request.resume()
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body))
  })
  const sockets = new WebSocketServer({ server: proxy, path: '/voice' })
  sockets.on('connection', (socket, { headers }) => {
    socket.once('message', (data) => {
      const opened = toPeerSocket(socket, JSON.parse(String(data)), headers.origin)
      peer.sockets.push(opened)
      if (peer.is_answering) opened.send(ready(peer.sockets.length))
    })
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const { port } = proxy.address() as AddressInfo
  peer.url = `http://127.0.0.1:${port}`
  peer.socket_url = `ws://127.0.0.1:${port}/voice`
  after(() => {
    for (const socket of sockets.clients) socket.terminate()
    sockets.close()
    proxy.closeAllConnections()
    proxy.close()
  })
  return peer
}

const ready = (count: number) => ({ type: 'ready', call_id: 'call-1', token: `again-${count}` })

function passOn(server_url: string, request: http.IncomingMessage, response: http.ServerResponse): void {
  const { method = 'GET', headers, url = '' } = request
  const passed = http.request(server_url + url, { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  passed.on('error', () => response.destroy())
  response.on('close', () => passed.destroy())
  request.pipe(passed)
}

function toPeerSocket(socket: WebSocket, start: PeerSocket['start'], origin: string | undefined): PeerSocket {
  const frames: PeerSocket['frames'] = []
  const messages: PeerSocket['messages'] = []
  let sent_ms = 0
  socket.on('error', () => {})
  socket.on('message', (data, is_binary) => {
    // The peer's sockets give one buffer for each message.
    if (is_binary) frames.push({ bytes: data as Buffer, at_ms: performance.now() })
    else messages.push(JSON.parse(String(data)))
  })
  return {
    start,
    origin,
    frames,
    messages,
    played: () => Number(messages.findLast(({ type }) => type === 'played')?.ms ?? 0),
    sent: () => sent_ms,
    isClosed: () => socket.readyState >= socket.CLOSING,
    send: (message) => socket.send(JSON.stringify(message)),
    sendTone: (ms) => {
      for (let at_ms = 0; at_ms < ms; at_ms += 20) socket.send(toneAt(at_ms))
      sent_ms += ms
    },
    drop: () => socket.terminate(),
    close: (code) => socket.close(code),
  }
}

/** 20 ms of 440 Hz. */
function toneAt(begin_ms: number): Buffer {
  const frame = Buffer.alloc(20 * bytes_per_ms)
  for (let index = 0; index < 320; index += 1) {
    const turn = 2 * Math.PI * 440 * (begin_ms / 1_000 + index / 16_000)
    frame.writeInt16LE(Math.round(8_000 * Math.sin(turn)), 2 * index)
  }
  return frame
}
