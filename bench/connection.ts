import net from 'node:net'

export interface Requests {
  /** The next request, or undefined at the end. */
  next: () => Buffer | undefined
  /** Called with the status and the whole response, in Latin-1. */
  onResponse: (status: number, response: string) => void
}

const read_bytes = 64 * 1024
const length_field = 'content-length: '

/**
 * Sends one request at a time on one connection, each after the response to the last one. It uses a raw socket and reads
 * only what it must, because the load shares the processors with the server that it measures.
 */
export function sendRequests(port: number, { next, onResponse }: Requests): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const buffer = Buffer.allocUnsafe(read_bytes)
  let text = ''

  const sendNext = () => {
    const request = next()
    if (request) return void socket.write(request)
    resolve()
    socket.destroy()
  }
  const receive = (length: number) => {
    text += buffer.toString('latin1', 0, length)
    const response = text
    const bytes = responseLength(response)
    if (bytes === undefined || response.length < bytes) return
    if (response.length > bytes)
      throw new Error(`the response is longer than its Content-Length: ${response.slice(0, 500)}`)
    text = ''
    onResponse(Number(response.slice(9, 12)), response)
    sendNext()
  }
  const callback = (length: number) => {
    try {
      receive(length)
    } catch (error) {
      reject(error)
      socket.destroy()
    }
    return true
  }
  const socket = net.connect({ port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback } }, sendNext)
  socket.on('error', reject)
  socket.on('close', () => reject(new Error('the server closed a connection')))
  return promise
}

/** The length of head and body. Undefined until the head is complete. */
function responseLength(response: string): number | undefined {
  const head = response.indexOf('\r\n\r\n')
  if (head === -1) return undefined
  const field = response.indexOf(length_field)
  if (field === -1 || field > head) throw new Error(`a response without ${length_field}${response.slice(0, 500)}`)
  const value = field + length_field.length
  return head + 4 + Number(response.slice(value, response.indexOf('\r\n', value)))
}
