import net from 'node:net'
import type { Answer } from '../support/harness.ts'

const silence_ms = 20_000
/** How long bytes that are perhaps no whole request wait for an answer before the end is said. */
const patience_ms = 50

export interface Connection {
  /** Says the bytes and hears the answer; undefined when the other side closes without one. */
  ask: (bytes: Buffer, is_last?: boolean) => Promise<Answer | undefined>
  close: () => void
}

/** One request after the other on one socket, as long as the other side keeps it open: bytes as they are. */
export function connectTo(url: string): Connection {
  const { port, hostname } = new URL(url)
  let socket: net.Socket | undefined

  const ask = (bytes: Buffer, is_last = false) =>
    new Promise<Answer | undefined>((resolve, reject) => {
      socket ??= net.connect({ port: Number(port), host: hostname, noDelay: true, allowHalfOpen: true })
      const own = socket
      const is_head = bytes.subarray(0, 10).toString('latin1').trimStart().startsWith('HEAD ')
      let heard: Buffer = Buffer.alloc(0)
      let patience: NodeJS.Timeout | undefined
      const end = (answer: Answer | undefined) => {
        clearTimeout(patience)
        own.removeAllListeners()
        own.setTimeout(0)
        if (is_last || !answer || answer.headers.get('connection') === 'close' || isEndless(answer.headers)) {
          own.on('error', () => {}).destroy()
          socket = undefined
        }
        resolve(answer)
      }
      own.on('data', (more: Buffer) => {
        heard = heard.length === 0 ? more : Buffer.concat([heard, more])
        try {
          const answer = answerOf(heard, is_head)
          if (answer) end(answer)
        } catch (error) {
          reject(error)
        }
      })
      own.on('end', () => end(undefined))
      own.on('error', () => end(undefined))
      own.setTimeout(silence_ms, () => reject(new Error(`no answer within ${silence_ms} ms`)))
      own.write(bytes)
      if (is_last) patience = setTimeout(() => own.end(), patience_ms)
    })

  return { ask, close: () => void socket?.destroy() }
}

const isEndless = (headers: Headers): boolean => headers.get('content-type') === 'text/event-stream'

/** The answer, when it has come as a whole. */
function answerOf(bytes: Buffer, is_head: boolean): Answer | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1])
  const headers = new Headers(
    lines.map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  )
  if (status === 100) return answerOf(bytes.subarray(end + 4), is_head)
  if (isEndless(headers)) return { status, headers, text: '', body: undefined }
  if (headers.get('transfer-encoding') === 'chunked' && !is_head) {
    const text = unchunked(bytes.subarray(end + 4))
    return text === undefined ? undefined : { status, headers, text, body: undefined }
  }
  const length = is_head || status === 304 ? 0 : Number(headers.get('content-length') ?? Number.NaN)
  // To HTTP/1.0 a file is sent as it is made, until the connection ends.
  if (Number.isNaN(length) && headers.get('connection') === 'close') {
    return { status, headers, text: bytes.toString('utf8', end + 4), body: undefined }
  }
  if (Number.isNaN(length)) throw new Error(`an answer without a length: ${first}`)
  if (bytes.length < end + 4 + length) return undefined
  const text = bytes.toString('utf8', end + 4, end + 4 + length)
  const is_json = headers.get('content-type')?.startsWith('application/json') && text !== ''
  return { status, headers, text, body: is_json ? JSON.parse(text) : undefined }
}

/** A file that was sent as it was made; undefined until it has come as a whole. */
function unchunked(bytes: Buffer): string | undefined {
  const end = bytes.indexOf('\r\n')
  const length = Number.parseInt(bytes.toString('latin1', 0, Math.max(0, end)), 16)
  if (end === -1 || bytes.length < end + 2 + length + 2) return undefined
  if (length === 0) return ''
  const rest = unchunked(bytes.subarray(end + 2 + length + 2))
  return rest === undefined ? undefined : bytes.toString('utf8', end + 2, end + 2 + length) + rest
}
