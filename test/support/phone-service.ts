import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after } from 'node:test'
import twilio from 'twilio'
import { type WebSocket, WebSocketServer } from 'ws'
import { toMulaw } from '../../server/kit/sound/mulaw.ts'
import { auth_token } from '../peers/carrier.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read any field
export type Message = any

/** The service at the other end of the telephone network, for tests of the peer: it does what the test says, and checks each signature with the official package. */
export async function openPhoneService() {
  const service = {
    url: '',
    /** What the service answers at each path: TwiML, or a status. */
    answers: {} as Record<string, string | number | (() => string | number)>,
    requests: [] as { path: string; form: Record<string, string> }[],
    sockets: [] as ServiceSocket[],
    at: (path: string) => service.requests.filter((request) => request.path === path).map(({ form }) => form),
    close: async () => {
      for (const socket of sockets.clients) socket.terminate()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
    /** Waits until its stream has started. */
    socket: (index: number) =>
      until(`socket ${index}`, () => service.sockets.slice(index, index + 1).find((one) => one.of('start').length > 0)),
  }
  const server = http.createServer((request, response) => void answer(request, response))

  async function answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const path = request.url ?? ''
    const form = Object.fromEntries(new URLSearchParams(await text(request)))
    const signature = String(request.headers['x-twilio-signature'])
    assert.ok(twilio.validateRequest(auth_token, signature, service.url + path, form), 'the request is signed')
    service.requests.push({ path, form })
    const planned = service.answers[path] ?? ''
    const answer = typeof planned === 'function' ? planned() : planned
    if (typeof answer === 'number') response.writeHead(answer).end()
    else response.writeHead(200, { 'content-type': 'text/xml' }).end(answer)
  }

  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (socket, request) => {
    const signed = `${service.url.replace('http', 'ws')}${request.url}`
    const signature = String(request.headers['x-twilio-signature'])
    assert.ok(twilio.validateRequest(auth_token, signature, signed, {}), 'the socket is signed')
    service.sockets.push(toServiceSocket(socket, request.url ?? ''))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  service.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  after(service.close)
  return service
}

export interface ServiceSocket {
  path: string
  messages: Message[]
  of: (event: string) => Message[]
  next: (event: string, count?: number) => Promise<Message>
  play: (sound: Int16Array) => void
  send: (message: object) => void
  isClosed: () => boolean
  close: () => void
}

function toServiceSocket(socket: WebSocket, path: string): ServiceSocket {
  const messages: Message[] = []
  socket.on('message', (bytes) => messages.push(JSON.parse(String(bytes))))
  const of = (event: string) => messages.filter((message) => message.event === event)
  const streamSid = () => of('start')[0]?.streamSid
  const send = (message: object) => socket.send(JSON.stringify({ ...message, streamSid: streamSid() }))
  return {
    path,
    messages,
    of,
    next: (event, count = 1) => until(`${count} ${event}`, () => of(event)[count - 1]),
    play: (sound) =>
      send({ event: 'media', media: { payload: Buffer.from(Uint8Array.from(sound, toMulaw)).toString('base64') } }),
    send,
    isClosed: () => socket.readyState >= socket.CLOSING,
    close: () => socket.close(),
  }
}

export async function until<T>(description: string, find: () => T | undefined | false): Promise<T> {
  const give_up_at = performance.now() + 10_000
  for (;;) {
    const found = find()
    if (found) return found
    if (performance.now() > give_up_at) throw new Error(`not within 10 s: ${description}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
