import { once } from 'node:events'
import net from 'node:net'

/* WebSockets as bytes: what clients send that the library would not. */

export const final = 0x80
export const opcodes = { text: 1, binary: 2, ping: 9, pong: 10 }

/** A frame as a client sends it, with a mask that changes nothing. */
export function frameOf(opcode: number, text = ''): Buffer {
  const payload = Buffer.from(text)
  const length =
    payload.length < 126 ? [0x80 | payload.length] : [0x80 | 126, payload.length >> 8, payload.length & 255]
  return Buffer.concat([Buffer.from([opcode, ...length]), Buffer.alloc(4), payload])
}

export const textOf = (message: object): Buffer => frameOf(final | opcodes.text, JSON.stringify(message))

export const repeated = (frame: Buffer, count: number): Buffer => Buffer.alloc(frame.length * count, frame)

/** A connection to the service at `url` that asks for a socket. Nothing listens to it. */
export function connectRaw(url: string, path: string, headers: string[] = []): net.Socket {
  const { hostname, port } = new URL(url)
  const socket = net.connect(Number(port), hostname)
  const head = [
    `GET ${path} HTTP/1.1`,
    'Host: localhost',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  return socket.on('error', () => {})
}

/** An open socket, and what it has received. */
export async function openRaw(url: string, path: string, headers: string[] = []) {
  const socket = connectRaw(url, path, headers)
  let received = ''
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  socket.on('close', () => resolve())
  await once(socket, 'data')
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1')
  })
  return { socket, closed, received: () => received }
}
