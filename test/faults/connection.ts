import net from 'node:net'
import type { Answer } from '../support/harness.ts'

const timeout_ms = 20_000
/** When to close our side after bytes that may not be a whole request. */
const half_close_after_ms = 50

export interface Connection {
  /** Sends the bytes and returns the response, or undefined if the server closes the connection without one. */
  send: (bytes: Buffer, is_last?: boolean) => Promise<Answer | undefined>
  close: () => void
}

/** Sends one request at a time on one socket, as long as the server keeps it open. Bytes are sent unchanged. */
export function openConnection(url: string): Connection {
  const { port, hostname } = new URL(url)
  let socket: net.Socket | undefined

  const send = (bytes: Buffer, is_last = false) =>
    new Promise<Answer | undefined>((resolve, reject) => {
      socket ??= net.connect({ port: Number(port), host: hostname, noDelay: true, allowHalfOpen: true })
      const current = socket
      const is_head = bytes.subarray(0, 10).toString('latin1').trimStart().startsWith('HEAD ')
      let received: Buffer = Buffer.alloc(0)
      let half_close_timer: NodeJS.Timeout | undefined
      const end = (answer: Answer | undefined) => {
        clearTimeout(half_close_timer)
        current.removeAllListeners()
        current.setTimeout(0)
        if (is_last || !answer || answer.headers.get('connection') === 'close' || isEndless(answer.headers)) {
          current.on('error', () => {}).destroy()
          socket = undefined
        }
        resolve(answer)
      }
      current.on('data', (more: Buffer) => {
        received = received.length === 0 ? more : Buffer.concat([received, more])
        try {
          const answer = parseAnswer(received, is_head)
          if (answer) end(answer)
        } catch (error) {
          reject(error)
        }
      })
      current.on('end', () => end(undefined))
      current.on('error', () => end(undefined))
      current.setTimeout(timeout_ms, () => reject(new Error(`no response within ${timeout_ms} ms`)))
      current.write(bytes)
      if (is_last) half_close_timer = setTimeout(() => current.end(), half_close_after_ms)
    })

  return { send, close: () => void socket?.destroy() }
}

const isEndless = (headers: Headers): boolean => headers.get('content-type') === 'text/event-stream'

/** Undefined until the response is complete. */
function parseAnswer(bytes: Buffer, is_head: boolean): Answer | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1])
  const headers = new Headers(
    lines.map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  )
  if (status === 100) return parseAnswer(bytes.subarray(end + 4), is_head)
  if (isEndless(headers)) return { status, headers, text: '', body: undefined }
  if (headers.get('transfer-encoding') === 'chunked' && !is_head) {
    const text = decodeChunked(bytes.subarray(end + 4))
    return text === undefined ? undefined : { status, headers, text, body: undefined }
  }
  const length = is_head || status === 304 ? 0 : Number(headers.get('content-length') ?? Number.NaN)
  // A file for HTTP/1.0 has no length and ends with the connection.
  if (Number.isNaN(length) && headers.get('connection') === 'close') {
    return { status, headers, text: bytes.toString('utf8', end + 4), body: undefined }
  }
  if (Number.isNaN(length)) throw new Error(`a response without a length: ${first}`)
  if (bytes.length < end + 4 + length) return undefined
  const text = bytes.toString('utf8', end + 4, end + 4 + length)
  const is_json = headers.get('content-type')?.startsWith('application/json') && text !== ''
  return { status, headers, text, body: is_json ? JSON.parse(text) : undefined }
}

/** Decodes a chunked body. Undefined until it is complete. */
function decodeChunked(bytes: Buffer): string | undefined {
  const end = bytes.indexOf('\r\n')
  const length = Number.parseInt(bytes.toString('latin1', 0, Math.max(0, end)), 16)
  if (end === -1 || bytes.length < end + 2 + length + 2) return undefined
  if (length === 0) return ''
  const rest = decodeChunked(bytes.subarray(end + 2 + length + 2))
  return rest === undefined ? undefined : bytes.toString('utf8', end + 2, end + 2 + length) + rest
}
