import { once } from 'node:events'
import net from 'node:net'

export interface LongRequest {
  /** The method and the path, without the version of HTTP. */
  request_line: string
  headers?: string[]
  body: Buffer[]
  is_chunked?: boolean
  /** Sends Connection: close. */
  is_last?: boolean
  version?: string
  /** The headers have the length. */
  has_length?: boolean
  /** Called before anything is sent. */
  onConnect?: () => void
}

/** Sends the whole body before it reads the response, as browsers do. Returns the response, and the connection. */
export async function sendFirst(url: string, request: LongRequest): Promise<{ answer: string; socket: net.Socket }> {
  const { request_line, headers = [], body, is_chunked = false, is_last = false, version = '1.1', has_length } = request
  const { port, hostname } = new URL(url)
  const socket = net.connect({ port: Number(port), host: hostname.replace(/[[\]]/g, '') })
  socket.pause()
  const length = body.reduce((sum, { length }) => sum + length, 0)
  const lines = [`${request_line} HTTP/${version}`, 'Host: x', ...headers]
  if (is_last) lines.push('Connection: close')
  if (!has_length) lines.push(is_chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`)
  const failed = once(socket, 'close').then(() => Promise.reject(new Error('the connection was closed')))
  failed.catch(() => {})
  const write = async (bytes: string | Buffer) => {
    if (!socket.write(bytes)) await Promise.race([once(socket, 'drain'), failed])
  }
  if (request.onConnect) {
    await once(socket, 'connect')
    request.onConnect()
  }
  await write(`${lines.join('\r\n')}\r\n\r\n`)
  for (const bytes of body) {
    if (is_chunked) await write(`${bytes.length.toString(16)}\r\n`)
    await write(bytes)
    if (is_chunked) await write('\r\n')
  }
  if (is_chunked) await write('0\r\n\r\n')
  socket.resume()
  const [answer] = (await Promise.race([once(socket, 'data'), failed])) as [Buffer]
  return { answer: answer.toString(), socket }
}
